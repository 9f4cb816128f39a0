import Testing

@testable import HTTPText

@Suite struct `The client's end of a WebSocket` {
    private var random = Seeded(1)

    @Test func `asks for what it wants, and checks the proof of the answer`() {
        var (client, answer) = accepted()
        let request = String(decoding: client.request, as: UTF8.self)
        #expect(request.hasPrefix("GET /.hearth HTTP/1.1\r\nHost: 127.0.0.1:7001\r\n"))
        #expect(request.hasSuffix("Sec-WebSocket-Protocol: hearth.1\r\n\r\n"))
        #expect(events(answer, &client) == [.opened])
        #expect(events([0x82, 1, 7], &client) == [.message([7])])
    }

    @Test func `a message in the same bytes as the answer is read`() {
        let (client, answer) = accepted()
        let bytes = answer + [0x82, 1, 7, 0x89, 0]
        for cut in 0...bytes.count {
            var copy = client
            let all =
                events(Array(bytes[..<cut]), &copy) + events(Array(bytes[cut...]), &copy)
            #expect(all.prefix(2) == [.opened, .message([7])])
            #expect(all.count == 3)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 500 Internal Server Error\r\n\r\n", "500 Internal Server Error"),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "another request"),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP/1.1"),
    ])
    func `another answer is refused`(text: String, problem: String) throws {
        var (client, _) = accepted()
        guard case .ended(let said)? = events(Array(text.utf8), &client).first else {
            Issue.record("accepted \(text)")
            return
        }
        #expect(said.contains(problem))
    }

    @Test func `a credential is sent, and its refusal is distinguished`() {
        var random = random
        var client = WebSocketClient(
            to: "h:1", path: "/", subprotocol: "hearth.1", authorization: "Bearer x",
            messageLimit: 100, using: &random)
        let request = String(decoding: client.request, as: UTF8.self)
        #expect(request.hasSuffix("\r\nAuthorization: Bearer x\r\n\r\n"))
        #expect(events(Array("HTTP/1.1 401 Unauthorized\r\n\r\n".utf8), &client) == [.denied])
        let (other, _) = accepted()
        #expect(!String(decoding: other.request, as: UTF8.self).contains("Authorization"))
    }

    @Test func `a server that accepts no clients is distinguished`() {
        var (client, _) = accepted()
        let answer = Array("HTTP/1.1 503 Service Unavailable\r\n\r\n".utf8)
        #expect(events(answer, &client) == [.unavailable])
    }

    @Test func `a refusal with a reason shows it`() {
        var (client, _) = accepted()
        let answer =
            "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nHearth-Problem: There is no database a.\r\n"
            + "Hearth-Fix: create it\r\n\r\n{}"
        #expect(
            events(Array(answer.utf8), &client)
                == [.refused(problem: "There is no database a.", fix: "create it", isWrong: true)])
        var (busy, _) = accepted()
        let later = answer.replacing("404 Not Found", with: "429 Too Many Requests")
        #expect(
            events(Array(later.utf8), &busy)
                == [.refused(problem: "There is no database a.", fix: "create it", isWrong: false)])
        var (other, _) = accepted()
        #expect(
            events(Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8), &other)
                == [.ended(problem: "it answered 404 Not Found")])
    }

    @Test func `a redirect is distinguished if it names an address`() {
        var (client, _) = accepted()
        let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: //b:2/.hearth/chat?x=1\r\n\r\n"
        #expect(events(Array(answer.utf8), &client) == [.moved(to: "//b:2/.hearth/chat?x=1")])
        var (other, _) = accepted()
        let bare = events(Array("HTTP/1.1 307 Temporary Redirect\r\n\r\n".utf8), &other)
        #expect(bare == [.ended(problem: "it answered 307 Temporary Redirect")])
    }

    @Test func `an answer without an end is refused`() {
        var (client, _) = accepted()
        let bytes = [UInt8](repeating: 65, count: 16 << 10)
        #expect(events(bytes, &client).first == .ended(problem: "its answer has no end"))
    }

    @Test func `a ping is answered by a masked pong`() {
        var (client, answer) = accepted()
        _ = events(answer, &client)
        guard case .answer(let pong)? = events([0x89, 2, 5, 6], &client).first else {
            Issue.record("no pong")
            return
        }
        var reader = WebSocketReader(isMasked: true, messageLimit: 10)
        let read = pong.withUnsafeBytes { bytes in
            var rest = bytes
            return reader.next(in: &rest)
        }
        #expect(read == .pong([5, 6]))
    }

    @Test(arguments: [([0x88, 0], "1005"), ([0xF2, 0], "reserved")])
    func `invalid frames end it`(bytes: [UInt8], problem: String) {
        var (client, answer) = accepted()
        _ = events(answer, &client)
        guard case .ended(let said)? = events(bytes, &client).first else {
            Issue.record("goes on")
            return
        }
        #expect(said.contains(problem))
    }

    @Test func `text is distinguished from bytes`() {
        var (client, answer) = accepted()
        _ = events(answer, &client)
        #expect(
            events([0x81, 2, 0x6F, 0x6B, 0x82, 1, 7], &client) == [
                .text([0x6F, 0x6B]), .message([7]),
            ])
    }

    @Test func `the proof is that of the standard's example`() {
        let key = "dGhlIHNhbXBsZSBub25jZQ=="
        #expect(WebSocketUpgrade.accept(key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketUpgrade.isKey(key))
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZ!==",
        "dGhlIHNhbXBsZSBub25jZQAA", "dGhlIHNhbXBsZSBub25jZQAA==",
    ])
    func `a key that is none is known`(text: String) {
        #expect(!WebSocketUpgrade.isKey(text))
    }

    @Test func `keys are keys`() {
        var random = random
        #expect(
            (0..<100).allSatisfy { _ in WebSocketUpgrade.isKey(WebSocketUpgrade.key(using: &random))
            })
    }

    @Test func `a reason to close is cut where it gets too long`() {
        #expect(WebSocketCloseCode.normal.payload() == [3, 232])
        #expect(WebSocketCloseCode.normal.payload(String(repeating: "é", count: 100)).count == 124)
    }

    /// A client, and the answer that accepts it.
    private func accepted() -> (WebSocketClient, [UInt8]) {
        var random = random
        let client = WebSocketClient(
            to: "127.0.0.1:7001", path: "/.hearth", subprotocol: "hearth.1", messageLimit: 100,
            using: &random)
        let request = String(decoding: client.request, as: UTF8.self)
        let key = request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
        let answer = WebSocketUpgrade.answer(
            to: String(key?.dropFirst("Sec-WebSocket-Key: ".count) ?? ""), subprotocol: "hearth.1")
        return (client, answer)
    }

    private func events(
        _ bytes: [UInt8], _ client: inout WebSocketClient
    ) -> [WebSocketClient.Event] {
        var random = random
        return bytes.withUnsafeBytes { bytes in
            var (rest, events) = (bytes, [WebSocketClient.Event]())
            while let event = client.next(in: &rest, using: &random) { events.append(event) }
            return events
        }
    }
}

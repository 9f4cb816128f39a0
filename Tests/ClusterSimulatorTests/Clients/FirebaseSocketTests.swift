import HTTPText
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// A Firebase client's end of a WebSocket, against the other end.
@Suite struct FirebaseSocketTests {
    private func opened() -> FirebaseSocket {
        var socket = FirebaseSocket()
        let answer = WebSocketUpgrade.answer(to: "dGhlIHNhbXBsZSBub25jZQ==", subprotocol: nil)
        #expect(socket.receive(answer).isEmpty && socket.isOpen)
        return socket
    }

    private func frame(_ kind: WebSocketFrameKind, _ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketWriter.append(kind, Array(text.utf8), to: &bytes)
        return bytes
    }

    @Test func `messages come behind the answer, in whatever pieces`() {
        var socket = opened()
        let bytes = frame(.text, "one") + frame(.text, "two")
        let events = bytes.flatMap { socket.receive([$0]) }
        #expect(events == [.message(Array("one".utf8)), .message(Array("two".utf8))])
    }

    @Test func `another answer is no WebSocket`() {
        var refused = FirebaseSocket()
        #expect(
            refused.receive(Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".utf8)) == [
                .refused(503)
            ])
        var another = FirebaseSocket()
        let answer = WebSocketUpgrade.answer(to: "AAAAAAAAAAAAAAAAAAAAAA==", subprotocol: nil)
        #expect(
            another.receive(answer) == [.failure("the answer to another request for a WebSocket")])
        #expect(!another.isOpen)
    }

    @Test func `a node reads each message, however it is cut`() {
        var socket = opened()
        var random = SplitMix64(seed: 1)
        var reader = WebSocketReader(isMasked: true, messageLimit: 1_000)
        var texts: [String] = []
        for _ in 0..<100 {
            socket.frames(of: Array("abcdef".utf8), &random).withUnsafeBytes { bytes in
                var rest = bytes
                while let event = reader.next(in: &rest) {
                    if case .text(let text) = event {
                        texts.append(String(decoding: text, as: UTF8.self))
                    }
                }
            }
        }
        // A message in chunks is the number of these, and then they.
        #expect(texts.filter { $0 != "2" }.joined() == String(repeating: "abcdef", count: 100))
        #expect(texts.contains("2") && texts.count { $0 == "abcdef" } > 60)
    }

    @Test func `a pong without its ping is noticed`() {
        var socket = opened()
        #expect(socket.receive(frame(.pong, "x")) == [.failure("a pong for no ping")])
    }
}

import Testing

@testable import HTTPText

@Suite struct RequestReaderTests {
    @Test(arguments: RawRequest.all)
    func `a request is read or refused, and what follows is read once or never`(raw: RawRequest) {
        let reading = Reading([raw.bytes + RawRequest.second])
        #expect(reading.failure == raw.failure)
        #expect(reading.requests == raw.requests + (raw.failure == nil ? ["GET /second"] : []))
    }

    @Test(arguments: RawRequest.all)
    func `it does not matter where the bytes are split`(raw: RawRequest) {
        let bytes = raw.bytes + RawRequest.second
        let whole = Reading([bytes])
        #expect(Reading(bytes.map { [$0] }) == whole)
        for cut in 1..<bytes.count {
            let (front, back) = (Array(bytes[..<cut]), Array(bytes[cut...]))
            if Reading([front, back]) != whole { Issue.record("split after \(cut) bytes") }
        }
    }

    @Test func `many requests in many pieces are read alike, wherever two cuts are`() {
        let bytes = Array(
            (request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked")
                + "3;x\r\nabc\r\n1\r\nd\r\n0\r\nT: u\r\n\r\n"
                + request("PUT /b HTTP/1.1", "Content-Length: 3") + "xyz" + "GET /c").utf8)
        let whole = Reading([bytes])
        #expect(whole.requests == ["PUT /a abcd", "PUT /b xyz"])
        for first in 1..<bytes.count {
            for second in first..<bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                if Reading(pieces.map { Array($0) }) != whole {
                    Issue.record("split after \(first) and \(second) bytes")
                }
            }
        }
    }

    @Test func `a head is handed out before its body, and its end once`() throws {
        var reader = RequestReader()
        reader.receive(Array(request("PUT /a HTTP/1.1", "Content-Length: 3").utf8))
        let head = try reader.nextHead()
        #expect(head.method == .put && head.body == .length(3))
        #expect(reader.next() == nil)
        reader.receive(Array("ab".utf8))
        #expect(reader.next() == .body(Array("ab".utf8)))
        reader.receive(Array("c".utf8))
        #expect(reader.next() == .body(Array("c".utf8)))
        #expect(reader.next() == .end)
        #expect(reader.next() == nil)
    }

    @Test func `a request that came early is read once the one before is answered`() throws {
        var reader = RequestReader()
        reader.receive(Array((request("GET /a HTTP/1.1") + request("GET /b HTTP/1.1")).utf8))
        _ = try reader.nextHead()
        #expect(reader.next() == .end)
        #expect(reader.next() == nil)
        reader.answered()
        let second = try reader.nextHead()
        #expect(second.target.pathText == "/b")
    }

    @Test(arguments: [
        "Connection: close", "Connection: Upgrade, CLOSE", "Connection: keep-alive,close",
    ])
    func `nothing is read after a request that closes the connection`(field: String) {
        let text = request("GET /a HTTP/1.1", field) + request("GET /b HTTP/1.1")
        #expect(Reading(text).requests == ["GET /a"])
        #expect(Reading(text).failure == nil)
    }

    @Test func `a request of HTTP 1_0 closes the connection unless it says otherwise`() throws {
        #expect(try !head("GET / HTTP/1.0\r\n\r\n").keepsConnectionOpen)
        #expect(try head("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keepsConnectionOpen)
        #expect(try head(request("GET / HTTP/1.1")).keepsConnectionOpen)
        #expect(try !head(request("GET / HTTP/1.0", "Expect: 100-continue")).expectsContinue)
        #expect(try head(request("PUT / HTTP/1.1", "Expect: 100-continue")).expectsContinue)
    }

    @Test func `after an upgrade the rest belongs to another protocol`() throws {
        var reader = RequestReader()
        let fields = ["Connection: keep-alive, Upgrade", "Upgrade: WebSocket"]
        reader.receive(Array((request("GET /.ws HTTP/1.1", fields[0], fields[1]) + "frames").utf8))
        let head = try reader.nextHead()
        #expect(head.asksToUpgrade(to: "websocket"))
        #expect(!head.asksToUpgrade(to: "h2c"))
        #expect(reader.next() == .end)
        #expect(reader.upgrade() == Array("frames".utf8))
        reader.receive(RawRequest.second)
        #expect(reader.next() == nil)
        #expect(!reader.wantsBytes)
    }

    @Test func `after the last request bytes are dropped, so that its client's leaving is seen`() {
        var reader = RequestReader()
        reader.receive(Array(request("GET /a HTTP/1.1", "Connection: close").utf8))
        while reader.next() != nil {}
        for _ in 0..<1000 { reader.receive([UInt8](repeating: 0x47, count: 1000)) }
        #expect(reader.wantsBytes)
        #expect(reader.keptBytes == 0)
        reader.answered()
        #expect(reader.next() == nil)
        #expect(!reader.wantsBytes)
    }

    @Test(arguments: RawRequest.all.filter { $0.failure == nil })
    func `a connection that waits for a request keeps no bytes`(raw: RawRequest) {
        for cut in 0..<raw.bytes.count {
            var reader = RequestReader()
            for piece in [raw.bytes[..<cut], raw.bytes[cut...]] {
                reader.receive(Array(piece))
                while reader.next() != nil {}
            }
            #expect(reader.keptBytes == 0)
        }
    }

    @Test func `data before a failure is handed out first`() throws {
        var reader = RequestReader()
        let text = request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked") + "2\r\nhi\r\n?"
        reader.receive(Array(text.utf8))
        _ = try reader.nextHead()
        #expect(reader.next() == .body(Array("hi".utf8)))
        #expect(reader.next() == .failure(.badChunk))
        #expect(reader.next() == nil)
    }

    @Test func `a reader says what it waits for`() {
        var reader = RequestReader()
        #expect(reader.phase == .idle)
        reader.receive(Array("PUT /a HTTP/1.1\r\n".utf8))
        #expect(reader.phase == .head)
        #expect(reader.next() == nil)
        #expect(reader.phase == .head)
        reader.receive(Array("Host: x\r\nContent-Length: 70\r\n\r\n1".utf8))
        while reader.next() != nil {}
        #expect(reader.phase == .body(bytes: 70))
        reader.receive([UInt8](repeating: 0x31, count: 69))
        while reader.next() != nil {}
        #expect(reader.phase == .answer)
        reader.answered()
        #expect(reader.phase == .idle)
        reader.receive(Array("?".utf8))
        while reader.next() != nil {}
        #expect(reader.phase == .close)
    }

    @Test func `the announced bytes of chunks count as they are announced`() {
        var reader = RequestReader()
        let text = request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked") + "2\r\nhi\r\n10\r\n"
        reader.receive(Array(text.utf8))
        while reader.next() != nil {}
        #expect(reader.phase == .body(bytes: 18))
    }

    @Test func `bytes of a buffer are read as those of an array`() throws {
        var reader = RequestReader()
        for byte in RawRequest.second {
            withUnsafeBytes(of: byte) { reader.receive($0) }
        }
        let head = try reader.nextHead()
        #expect(head.target.pathText == "/second")
    }
}

extension RawRequest: CustomTestStringConvertible {
    var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }
}

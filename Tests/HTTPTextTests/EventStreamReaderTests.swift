import Testing

@testable import HTTPText

@Suite struct EventStreamReaderTests {
    private func events(_ text: String, limit: Int = 100, partBytes: Int = .max) -> [String] {
        var reader = EventStreamReader(dataLimit: limit)
        var rest = Array(text.utf8)[...]
        var events: [String] = []
        while !rest.isEmpty {
            let part = rest.prefix(partBytes)
            rest = rest.dropFirst(part.count)
            events += reader.read(Array(part)).map { event in
                "\(event.name) \(String(decoding: event.data, as: UTF8.self))\(event.isCut ? "…" : "")"
            }
        }
        return events
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func `events are the same however the bytes arrive`(partBytes: Int) {
        let text =
            ": comment\nevent: put\ndata: {\"path\":\"/\",\"data\":1}\n\nevent:keep-alive\r\ndata:null\r\n\r\n"
            + "data: a\ndata: b\n\n\n"
        #expect(
            events(text, partBytes: partBytes)
                == [#"put {"path":"/","data":1}"#, "keep-alive null", " a\nb"])
    }

    @Test func `an event without its empty line is not complete`() {
        #expect(events("event: put\ndata: 1\n").isEmpty)
    }

    @Test(arguments: [1, 1_000])
    func `a large event is cut, and the next one is not`(partBytes: Int) {
        let long = String(repeating: "x", count: 5_000)
        let text = "event: put\ndata: \(long)\n\nevent: patch\ndata: 2\n\n"
        #expect(
            events(text, limit: 16, partBytes: partBytes)
                == ["put \(String(repeating: "x", count: 10))…", "patch 2"])
    }

    @Test func `an event has begun with the first byte of its data`() {
        var reader = EventStreamReader(dataLimit: 100)
        _ = reader.read(Array("event: put\n".utf8))
        #expect(!reader.hasBegun)
        _ = reader.read(Array("data: {".utf8))
        #expect(reader.hasBegun)
    }
}

@Suite struct StreamedResponseReaderTests {
    private func read(
        _ text: String, partBytes: Int
    ) throws -> (status: Int?, content: String, hasEnded: Bool) {
        var reader = StreamedResponseReader()
        var content: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            content += try reader.read(Array(rest.prefix(partBytes)))
            rest = rest.dropFirst(partBytes)
        }
        return (reader.head?.status, String(decoding: content, as: UTF8.self), reader.hasEnded)
    }

    @Test(arguments: [1, 5, 1_000])
    func `chunks are joined, and the last one ends the content`(partBytes: Int) throws {
        let head =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let open = try read(head + "3\r\nabc\r\n2\r\nde\r\n", partBytes: partBytes)
        #expect(open.status == 200)
        #expect(open.content == "abcde")
        #expect(!open.hasEnded)
        let ended = try read(head + "3\r\nabc\r\n0\r\n\r\n", partBytes: partBytes)
        #expect(ended.content == "abc")
        #expect(ended.hasEnded)
    }

    @Test(arguments: [1, 1_000])
    func `content without chunks arrives as it is`(partBytes: Int) throws {
        let answer = try read("HTTP/1.1 401 No\r\nA: b\r\n\r\nxyz", partBytes: partBytes)
        #expect(answer.status == 401)
        #expect(answer.content == "xyz")
        #expect(!answer.hasEnded)
    }

    @Test func `malformed chunks are refused`() {
        #expect(throws: ResponseReader.Failure(problem: "has malformed chunks")) {
            try read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", partBytes: 9)
        }
    }
}

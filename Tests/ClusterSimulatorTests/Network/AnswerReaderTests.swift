import Testing

@testable import ClusterSimulator

/// The answers that a client of HTTP reads, whole and in pieces.
@Suite struct AnswerReaderTests {
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: x\r\n\r\nabc"
    private static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"

    /// The statuses and the bodies of answers, and an `end` behind each.
    private func read(_ texts: [String], headAlone: Bool = false) -> [String] {
        var reader = AnswerReader()
        for _ in 0..<3 { reader.expect(headAlone: headAlone) }
        var lines: [String] = []
        for text in texts {
            for event in reader.receive(Array(text.utf8)) {
                switch event {
                case .head(let head): lines.append("\(head.status)")
                case .body(let bytes):
                    lines[lines.count - 1] += String(decoding: bytes, as: UTF8.self)
                case .end: lines.append("end")
                case .failure: lines.append("failure")
                }
            }
        }
        if reader.finish() == .end { lines.append("end") }
        return lines
    }

    @Test(arguments: [counted, chunked])
    func `a body ends where its head says, in whatever pieces it comes`(text: String) {
        #expect(read([text]) == ["200abc", "end"])
        #expect(read(text.map { String($0) }) == ["200abc", "end"])
        #expect(read([text + text]) == ["200abc", "end", "200abc", "end"])
    }

    @Test func `some answers are heads alone`() {
        #expect(read(["HTTP/1.1 204 No Content\r\n\r\n"]) == ["204", "end"])
        #expect(read(["HTTP/1.1 304 Not Modified\r\n\r\n"]) == ["304", "end"])
        #expect(
            read(["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"], headAlone: true) == [
                "200", "end",
            ])
    }

    @Test func `an interim answer is none, and what has no length ends with the connection`() {
        #expect(
            read(["HTTP/1.1 100 Continue\r\n\r\n", AnswerReaderTests.counted]) == [
                "100", "200abc", "end",
            ])
        #expect(read(["HTTP/1.1 200 OK\r\n\r\nab", "c"]) == ["200abc", "end"])
    }

    @Test func `what follows an upgrade is left, and what is no answer is noticed`() {
        var reader = AnswerReader()
        #expect(reader.receive(Array("HTTP/1.1 101 On\r\n\r\nxyz".utf8)).count == 1)
        #expect(reader.removeRest() == Array("xyz".utf8))
        #expect(read(["HELLO\r\n\r\n"]) == ["failure"])
        #expect(
            read(["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"]) == [
                "200", "failure",
            ])
    }
}

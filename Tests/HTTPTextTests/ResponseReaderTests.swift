import HTTPText
import Testing

@Suite struct ResponseReaderTests {
    /// The answer in a text, or why there is none; nil while it is incomplete.
    private static func read(
        _ text: String, inPieces size: Int = .max, limit: Int = 100, ends: Bool = false
    ) -> Result<ServerResponse?, ResponseReader.Failure> {
        var reader = ResponseReader(bodyLimit: limit)
        var rest = Array(text.utf8)[...]
        return Result { () throws(ResponseReader.Failure) in
            while !rest.isEmpty {
                let piece = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                if let response = try reader.read(piece) { return response }
            }
            return ends ? try reader.end() : nil
        }
    }

    private static func body(_ text: String, inPieces size: Int = .max, ends: Bool = false)
        -> String?
    {
        let response = try? read(text, inPieces: size, ends: ends).get()
        return response.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private static let bodies: [(text: String, body: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200\r\ncontent-length:5\r\n\r\nhello and more", "hello"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
            "hello"
        ),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ""),
        ("HTTP/1.1 204 No Content\r\n\r\n", ""),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            "a"
        ),
    ]

    @Test(arguments: ResponseReaderTests.bodies, [1, 2, 7, Int.max])
    func `an answer is complete when its framing says so`(
        answer: (text: String, body: String), size: Int
    ) {
        #expect(Self.body(answer.text, inPieces: size) == answer.body)
    }

    @Test func `without a length, the end of the connection ends the content`() throws {
        let text = "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nhello"
        #expect(try Self.read(text).get() == nil)
        #expect(Self.body(text, ends: true) == "hello")
    }

    @Test func `fields have lower-case names and values without blanks`() throws {
        let text = "HTTP/1.1 200 OK\r\nETag:  \"a b\" \t\r\nX:\r\nContent-Length: 0\r\n\r\n"
        let response = try #require(try Self.read(text).get())
        #expect(response.values(of: "etag") == [#""a b""#] && response.values(of: "x") == [""])
        #expect(response.status == 200 && response.values(of: "y").isEmpty)
    }

    private static let malformed: [(text: String, problem: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", "ended before it was complete"),
        ("HTTP/1.1 200 OK\r\nContent-", "ended before it was complete"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "has more than 100 bytes"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n",
            "has more than 100 bytes"
        ),
        (
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 101),
            "has more than 100 bytes"
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "has an invalid Content-Length"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "has an invalid Content-Length"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "has an unknown Transfer-Encoding"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "has malformed chunks"),
        ("HTTP/2 200\r\n\r\n", "is not HTTP/1.1"), ("SSH-2.0-OpenSSH\r\n\r\n", "is not HTTP/1.1"),
        ("HTTP/1.1 200 OK\r\nno field\r\n\r\n", "has a malformed head"),
        (String(repeating: "a", count: 17_000), "has a head of more than 16384 bytes"),
    ]

    @Test(arguments: ResponseReaderTests.malformed)
    func `an answer that is wrong has a reason`(text: String, problem: String) {
        let failure = #expect(throws: ResponseReader.Failure.self) {
            try Self.read(text, ends: true).get()
        }
        #expect(failure?.problem == problem)
    }
}

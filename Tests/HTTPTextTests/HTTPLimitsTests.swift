import HTTPText
import Testing

/// Each limit is the largest amount that is accepted.
@Suite struct HTTPLimitsTests {
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test func `a head may have 16 KiB`() {
        let empty = request("GET / HTTP/1.1", "A: ").utf8.count
        let largest = request("GET / HTTP/1.1", "A: " + Self.text(16384 - empty))
        #expect(largest.utf8.count == 16384)
        #expect(Reading(largest).requests == ["GET /"])
        let larger = request("GET / HTTP/1.1", "A: " + Self.text(16385 - empty))
        #expect(Reading(larger).failure == .headTooLarge)
        #expect(Reading(larger.utf8.map { [$0] }).failure == .headTooLarge)
    }

    @Test func `a head that never ends is refused at its limit`() {
        var reader = RequestReader()
        reader.receive(Array("GET / HTTP/1.1\r\nA: ".utf8))
        for _ in 0..<16 { reader.receive([UInt8](repeating: 0x61, count: 1000)) }
        #expect(reader.next() == nil)
        reader.receive([UInt8](repeating: 0x61, count: 1000))
        #expect(reader.next() == .failure(.headTooLarge))
    }

    @Test func `a head may have a hundred lines`() {
        let lines = (0..<99).map { "A\($0): b\r\n" }.joined()
        let head = "GET / HTTP/1.1\r\nHost: x\r\n"
        #expect(Reading(head + lines + "\r\n").requests == ["GET /"])
        #expect(Reading(head + lines + "B: c\r\n\r\n").failure == .tooManyFieldLines)
    }

    @Test func `a target may have 8 KiB`() {
        let path = "/" + Self.text(8191)
        #expect(Reading(request("GET \(path) HTTP/1.1")).requests == ["GET \(path)"])
        #expect(Reading(request("GET \(path)a HTTP/1.1")).failure == .targetTooLong)
        #expect(Reading(request("GET \(path)\(path) HTTP/1.1")).failure == .targetTooLong)
        #expect(Reading("GET \(path)\(path)").failure == .targetTooLong)
        #expect(Reading("GET \(path)\(path)".utf8.map { [$0] }).failure == .targetTooLong)
    }

    @Test func `a body of known length is refused after its head`() {
        var limits = HTTPLimits()
        limits.bodyBytes = 4
        let fitting = request("PUT / HTTP/1.1", "Content-Length: 4") + "1234"
        #expect(Reading(fitting, limits: limits).requests == ["PUT / 1234"])
        let larger = Reading(request("PUT / HTTP/1.1", "Content-Length: 5"), limits: limits)
        #expect(larger.heads.count == 1)
        #expect(larger.failure == .bodyTooLarge)
    }

    @Test func `a body in chunks is refused with the chunk that is too much`() {
        var limits = HTTPLimits()
        limits.bodyBytes = 4
        let head = request("PUT / HTTP/1.1", "Transfer-Encoding: chunked")
        let fitting = head + "3\r\n123\r\n1\r\n4\r\n0\r\n\r\n"
        #expect(Reading(fitting, limits: limits).requests == ["PUT / 1234"])
        #expect(Reading(head + "3\r\n123\r\n2\r\n", limits: limits).failure == .bodyTooLarge)
    }

    @Test func `the caller limits the body of one request, and not of the next`() throws {
        var reader = RequestReader()
        let bytes = Array((request("PUT / HTTP/1.1", "Content-Length: 4") + "1234").utf8)
        reader.receive(bytes + bytes)
        _ = try reader.nextHead()
        reader.limitBody(to: 4)
        #expect(reader.next() == .body(Array("1234".utf8)))
        #expect(reader.next() == .end)
        reader.answered()
        _ = try reader.nextHead()
        reader.limitBody(to: 3)
        #expect(reader.next() == .failure(.bodyTooLarge))

        var another = RequestReader()
        another.receive(bytes + Array(request("PUT / HTTP/1.1", "Content-Length: 5").utf8) + [1])
        _ = try another.nextHead()
        another.limitBody(to: 4)
        while another.next() != nil {}
        another.answered()
        _ = try another.nextHead()
        #expect(another.next() == .body([1]))
    }

    @Test func `the extension of a chunk may have 256 bytes`() {
        let head = request("PUT / HTTP/1.1", "Transfer-Encoding: chunked")
        let longest = head + "1;" + Self.text(255) + "\r\n1\r\n0\r\n\r\n"
        #expect(Reading(longest).requests == ["PUT / 1"])
        #expect(Reading(head + "1;" + Self.text(256) + "\r\n1").failure == .badChunk)
    }

    @Test func `the trailers of a body may have 8 KiB`() {
        let head = request("PUT / HTTP/1.1", "Transfer-Encoding: chunked") + "0\r\n"
        let longest = head + "A: " + Self.text(8192 - 7) + "\r\n" + "\r\n"
        #expect(Reading(longest).requests == ["PUT /"])
        #expect(Reading(head + "A: " + Self.text(8192) + "\r\n\r\n").failure == .badTrailer)
        let many = String(repeating: "A: b\r\n", count: 2000)
        #expect(Reading(head + many + "\r\n").failure == .badTrailer)
    }

    @Test func `a client that sends far ahead is held up, and then refused`() {
        var limits = HTTPLimits()
        limits.pipelinedBytes = 100
        var reader = RequestReader(limits: limits)
        reader.receive(RawRequest.second)
        while reader.next() != nil {}
        #expect(reader.wantsBytes)
        reader.receive([UInt8](repeating: 0x47, count: 50))
        #expect(!reader.wantsBytes)
        reader.receive([UInt8](repeating: 0x47, count: 50))
        reader.receive([0x47])
        #expect(reader.next() == nil)
        reader.answered()
        #expect(reader.next() == .failure(.tooManyPipelinedBytes))
        #expect(!reader.wantsBytes)
    }
}

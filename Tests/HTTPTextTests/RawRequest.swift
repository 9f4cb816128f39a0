import HTTPText

/// Bytes of a client, and what becomes of them.
struct RawRequest: Sendable {
    let bytes: [UInt8]
    /// The requests that are read, as `Reading` writes them.
    let requests: [String]
    let failure: RequestFailure?

    static func accepted(_ text: String, _ requests: String...) -> RawRequest {
        RawRequest(bytes: Array(text.utf8), requests: requests, failure: nil)
    }

    static func refused(_ failure: RequestFailure, _ text: String) -> RawRequest {
        RawRequest(bytes: Array(text.utf8), requests: [], failure: failure)
    }

    /// What each of the requests below is followed by: it must be read once after a request that is accepted, and never after
    /// one that is refused.
    static let second = Array("GET /second HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

    static let all =
        requestLines + targets + fieldLines + hosts + lengths + codings + chunks + others

    static let requestLines: [RawRequest] = [
        .accepted("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /"),
        .accepted("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /"),
        .accepted("FROB!% / HTTP/1.1\r\nHost: x\r\n\r\n", "FROB!% /"),
        .refused(.badRequestLine, "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badLineEnd, "\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badLineEnd, "GET / HTTP/1.1\nHost: x\n\n"),
        .refused(.badLineEnd, "GET / HTTP/1.1\r\nHost: x\n\r\n"),
        .refused(.badLineEnd, "GET / HTTP/1.1\r\nHost: x\r\n\n"),
        .refused(.badRequestLine, "GET / HTTP/1.1\r\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET /  HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTP/1.1 \r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, " GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET /\r\n"),
        .refused(.badRequestLine, "GET\r\n"),
        .refused(.badRequestLine, "G(T / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / http/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTP/1.1x\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTP/1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTP/11.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTQ/1.1\r\nHost: x\r\n\r\n"),
        .refused(.badRequestLine, "GET / HTTP/1,1\r\nHost: x\r\n\r\n"),
        .refused(.unsupportedVersion, "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
        .refused(.unsupportedVersion, "GET / HTTP/1.2\r\nHost: x\r\n\r\n"),
        .refused(.unsupportedVersion, "GET / HTTP/0.9\r\nHost: x\r\n\r\n"),
        .refused(.unsupportedVersion, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        .refused(.badRequestLine, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}"),
        .refused(
            .badRequestLine, String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .accepted(
            String(repeating: "A", count: 32) + " / HTTP/1.1\r\nHost: x\r\n\r\n",
            String(repeating: "A", count: 32) + " /"),
    ]

    static let targets: [RawRequest] = [
        .accepted(request("GET //evil/x.json HTTP/1.1"), "GET //evil/x.json"),
        .accepted(
            request("GET /u.json?orderBy=\"$key\"&x={|}\\^`< HTTP/1.1"),
            "GET /u.json?orderBy=\"$key\"&x={|}\\^`<"),
        .accepted(request("GET /zoë.json HTTP/1.1"), "GET /zoë.json"),
        .accepted(request("GET /a?b?c HTTP/1.1"), "GET /a?b?c"),
        .accepted(request("GET /a? HTTP/1.1"), "GET /a?"),
        .accepted(request("GET http://x/a.json?b HTTP/1.1"), "GET /a.json?b"),
        .accepted(request("GET HTTP://x:80/a HTTP/1.1"), "GET /a"),
        .accepted(request("GET https://x/a HTTP/1.1"), "GET /a"),
        .accepted(request("GET http://x HTTP/1.1"), "GET "),
        .accepted(request("GET http://x?q HTTP/1.1"), "GET ?q"),
        .accepted(request("OPTIONS * HTTP/1.1"), "OPTIONS *"),
        .refused(.badTarget, request("GET * HTTP/1.1")),
        .refused(.badTarget, request("OPTIONS *a HTTP/1.1")),
        .refused(.badTarget, request("GET foo://evil/x.json HTTP/1.1")),
        .refused(.badTarget, request("GET http:/x HTTP/1.1")),
        .refused(.badTarget, request("GET x/y HTTP/1.1")),
        .refused(.badTarget, request("GET ?x HTTP/1.1")),
        .refused(.badTarget, request("CONNECT x:443 HTTP/1.1")),
        .refused(.badHost, request("GET http:///x HTTP/1.1")),
        .refused(.badHost, request("GET http://u@x/ HTTP/1.1")),
        .refused(.badHost, request("GET http://x:99999/ HTTP/1.1")),
        .refused(.badHost, "GET http://x/ HTTP/1.1\r\n\r\n"),
        .refused(.badRequestLine, request("GET /a#b HTTP/1.1")),
        .refused(.badRequestLine, request("GET /a\u{0}b HTTP/1.1")),
        .refused(.badRequestLine, request("GET /a\u{7F}b HTTP/1.1")),
        .refused(.badRequestLine, request("GET /a\tb HTTP/1.1")),
        .refused(.badRequestLine, request("GET /a\rb HTTP/1.1")),
    ]

    static let fieldLines: [RawRequest] = [
        .accepted(request("GET / HTTP/1.1", "A:b", "A: c", "B:", "C: \t d e \t"), "GET /"),
        .accepted(request("GET / HTTP/1.1", "A: zoë \"(),/:;<=>?@[\\]{}"), "GET /"),
        .refused(.badFieldLine, request("GET / HTTP/1.1", " A: folded")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A: b", "\tfolded")),
        .refused(.badFieldLine, "GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
        .refused(.badFieldLine, "GET / HTTP/1.1\r\nHost : x\r\n\r\n"),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A\t: b")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", ": b")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A B: c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A\u{1}: c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "Ä: c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A(: c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A: b\u{0}c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A: b\u{B}c")),
        .refused(.badFieldLine, request("GET / HTTP/1.1", "A: b\u{7F}")),
        .refused(.badLineEnd, request("GET / HTTP/1.1", "A: b\rc")),
        .refused(.badLineEnd, request("GET / HTTP/1.1", "A: b\r")),
    ]

    static let hosts: [RawRequest] = [
        .accepted("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /"),
        .accepted("GET / HTTP/1.1\r\nhOST:[::1]:9000\r\n\r\n", "GET /"),
        .accepted("GET / HTTP/1.1\r\nHost: my_host.example.com:65535\r\n\r\n", "GET /"),
        .refused(.badHost, "GET / HTTP/1.1\r\n\r\n"),
        .refused(.badHost, request("GET / HTTP/1.1", "Host: x")),
        .refused(.badHost, request("GET / HTTP/1.1", "HOST: evil")),
        .refused(.badHost, "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x:\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x:65536\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x:+1\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x:000080\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x y\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x, y\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: u@x\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: zoë\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: []\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: [x]\r\n\r\n"),
        .refused(.badHost, "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"),
    ]

    static let lengths: [RawRequest] = [
        .accepted(request("PUT /a HTTP/1.1", "Content-Length: 4") + "body", "PUT /a body"),
        .accepted(request("PUT /a HTTP/1.1", "Content-Length: 0"), "PUT /a"),
        .accepted(request("PUT /a HTTP/1.1", "Content-Length: 0004 \t") + "body", "PUT /a body"),
        .accepted(request("GET /a HTTP/1.1", "Content-Length: 4") + "GET ", "GET /a GET "),
        .accepted(request("HEAD /a HTTP/1.1", "Content-Length: 4") + "body", "HEAD /a body"),
        .accepted(request("DELETE /a HTTP/1.1", "Content-Length: 2") + "\r\n", "DELETE /a \r\n"),
        .refused(
            .badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4", "Content-Length: 5")),
        .refused(
            .badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4", "content-length: 4")),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4, 4") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: +4") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: -4") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 0x4") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4 4") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4;a") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length: 4.0") + "body"),
        .refused(.badContentLength, request("PUT /a HTTP/1.1", "Content-Length:") + "body"),
        .refused(.bodyTooLarge, request("PUT /a HTTP/1.1", "Content-Length: 9223372036854775808")),
        .refused(.bodyTooLarge, request("PUT /a HTTP/1.1", "Content-Length: 9223372036854775807")),
        .refused(.bodyTooLarge, request("PUT /a HTTP/1.1", "Content-Length: 18446744073709551620")),
    ]

    static let codings: [RawRequest] = [
        .accepted(request("PUT /a HTTP/1.1", "transfer-encoding: Chunked") + "0\r\n\r\n", "PUT /a"),
        .refused(
            .badTransferEncoding,
            request("PUT /a HTTP/1.1", "Content-Length: 4", "Transfer-Encoding: chunked")
                + "0\r\n\r\n"),
        .refused(
            .badTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 0")
                + "0\r\n\r\n"),
        .refused(
            .badTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
        .refused(
            .badTransferEncoding,
            request("PUT /a HTTP/1.0", "Transfer-Encoding: chunked") + "0\r\n\r\n"),
        .refused(
            .unsupportedTransferEncoding, request("PUT /a HTTP/1.1", "Transfer-Encoding: xchunked")),
        .refused(
            .unsupportedTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: gzip, chunked")),
        .refused(
            .unsupportedTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked, gzip")),
        .refused(
            .unsupportedTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked;q=1")),
        .refused(
            .unsupportedTransferEncoding,
            request("PUT /a HTTP/1.1", "Transfer-Encoding: \"chunked\"")),
        .refused(
            .unsupportedTransferEncoding, request("PUT /a HTTP/1.1", "Transfer-Encoding: identity")),
        .refused(.unsupportedTransferEncoding, request("PUT /a HTTP/1.1", "Transfer-Encoding:")),
        .refused(.badFieldLine, request("PUT /a HTTP/1.1", "Transfer-Encoding : chunked")),
        .refused(.badFieldLine, request("PUT /a HTTP/1.1", "Transfer-Encoding: \u{B}chunked")),
    ]

    private static func chunked(_ body: String) -> String {
        request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked") + body
    }

    static let chunks: [RawRequest] = [
        .accepted(chunked("2\r\nhi\r\n0\r\n\r\n"), "PUT /a hi"),
        .accepted(chunked("2\r\nhi\r\n00000003\r\n ho\r\n0\r\n\r\n"), "PUT /a hi ho"),
        .accepted(
            chunked("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"),
            "PUT /a 01234567890123456789"),
        .accepted(chunked("2;a=b\r\nhi\r\n0;c\r\n\r\n"), "PUT /a hi"),
        .accepted(chunked("2;\r\n\r\n\r\n0\r\n\r\n"), "PUT /a \r\n"),
        .accepted(chunked("2\r\nhi\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n"), "PUT /a hi"),
        .refused(.badChunk, chunked("0x2\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("+2\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("-2\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked(" 2\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2 \r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2 ;a\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2 junk\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked(";a\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("g\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("000000002\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2\r\rhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2;a\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2;a\u{0}\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2;a\rb\r\nhi\r\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2\r\nhi0\r\n\r\n")),
        .refused(.badChunk, chunked("2\r\nhi\n0\r\n\r\n")),
        .refused(.badChunk, chunked("2\r\nhi\r0\r\n\r\n")),
        .refused(.badChunk, chunked("2\r\nhiho\r\n0\r\n\r\n")),
        .refused(.bodyTooLarge, chunked("ffffffff\r\n")),
        .refused(.badTrailer, chunked("0\r\n\n")),
        .refused(.badTrailer, chunked("0\r\nA b\r\n\r\n")),
        .refused(.badTrailer, chunked("0\r\n: b\r\n\r\n")),
        .refused(.badTrailer, chunked("0\r\n A: b\r\n\r\n")),
        .refused(.badTrailer, chunked("0\r\nA: b\n\r\n")),
        .refused(.badTrailer, chunked("0\r\nA: b\rc\r\n\r\n")),
        .refused(.badTrailer, chunked("0\r\nA: \u{0}\r\n\r\n")),
        .refused(.badTrailer, chunked("0\r\n\rGET / HTTP/1.1\r\n")),
    ]

    static let others: [RawRequest] = [
        .accepted(
            request("PUT /a HTTP/1.1", "Expect: 100-Continue", "Content-Length: 1") + "1",
            "PUT /a 1"),
        .refused(.unsupportedExpectation, request("PUT /a HTTP/1.1", "Expect: 200-ok")),
        .refused(.unsupportedExpectation, request("PUT /a HTTP/1.1", "Expect:")),
        .accepted(
            request("GET / HTTP/1.1", "Connection: keep-alive, upgrade", "Upgrade: h2c"), "GET /"),
    ]
}

import HTTPText
import Testing

@Suite struct RequestHeadTests {
    @Test func `header lines keep their order, and are found in any case`() throws {
        let head = try head(request("GET / HTTP/1.1", "Accept: a", "X-One:  1 ", "accept: b"))
        #expect(head.fields.map(\.name) == ["Host", "Accept", "X-One", "accept"])
        #expect(head.fields.map(\.value) == ["x", "a", "1", "b"])
        #expect(head.value(of: "accept") == "a")
        #expect(head.values(of: "accept") == ["a", "b"])
        #expect(head.value(of: "x-one") == "1")
        #expect(head.value(of: "x-on") == nil)
        #expect(head.values(of: "x-two") == [])
    }

    @Test func `elements of lists are found in any line`() throws {
        let head = try head(request("GET / HTTP/1.1", "Accept: text/html , b", "Accept:c"))
        #expect(head.lists("text/html", in: "accept"))
        #expect(head.lists("b", in: "accept"))
        #expect(head.lists("c", in: "accept"))
        #expect(!head.lists("text", in: "accept"))
        #expect(!head.lists("b", in: "host"))
    }

    @Test(
        arguments: [
            ("GET /a HTTP/1.1\r\nHost: X.example.com\r\n\r\n", "x.example.com", nil),
            ("GET /a HTTP/1.1\r\nHost: 10.0.2.2:9000\r\n\r\n", "10.0.2.2", 9000),
            ("GET /a HTTP/1.1\r\nHost: [FE80::1]:80\r\n\r\n", "[fe80::1]", 80),
            ("GET http://other:81/a HTTP/1.1\r\nHost: x\r\n\r\n", "other", 81),
            ("GET //evil/a HTTP/1.1\r\nHost: x\r\n\r\n", "x", nil),
            ("GET https://other HTTP/1.0\r\n\r\n", "other", nil),
        ] as [(String, String, UInt16?)])
    func `the host is the one that the request is meant for`(
        text: String, host: String, port: UInt16?
    ) throws {
        let authority = try #require(try head(text).authority)
        #expect(authority.host == host)
        #expect(authority.port == port)
    }

    @Test func `only a request of HTTP 1_0 has no host`() throws {
        #expect(try head("GET / HTTP/1.0\r\n\r\n").authority == nil)
        #expect(try head("GET / HTTP/1.0\r\n\r\n").authorityText == nil)
        #expect(try head("GET / HTTP/1.1\r\nHost: A:1\r\n\r\n").authorityText == "A:1")
    }

    @Test(arguments: [
        ("HTTP/2.0", RequestFailure.unsupportedVersion), ("HTTP/1.2", .unsupportedVersion),
        ("HTTP/0.9", .unsupportedVersion), ("HTTP/x.1", .badRequestLine),
        ("HTTP/1.x", .badRequestLine), ("HTTP/1,1", .badRequestLine), ("hTTP/1.1", .badRequestLine),
        ("HtTP/1.1", .badRequestLine), ("HTtP/1.1", .badRequestLine),
        ("HTTp/1.1", .badRequestLine), ("HTTP/1.1 ", .badRequestLine),
    ])
    func `an invalid version is distinguished from an unsupported one`(
        version: String, failure: RequestFailure
    ) {
        #expect(Reading(request("GET / " + version)).failure == failure)
    }

    @Test func `methods have their names`() {
        let names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "TRACE"]
        #expect(names.map { HTTPMethod($0).name } == names)
        #expect(HTTPMethod("get") == .other("get"))
        #expect(HTTPMethod("PATCH") == .patch)
    }

    @Test func `each failure has the status of its kind`() {
        #expect(RequestFailure.badHost.status == 400)
        #expect(RequestFailure.bodyTooLarge.status == 413)
        #expect(RequestFailure.targetTooLong.status == 414)
        #expect(RequestFailure.unsupportedExpectation.status == 417)
        #expect(RequestFailure.headTooLarge.status == 431)
        #expect(RequestFailure.tooManyFieldLines.status == 431)
        #expect(RequestFailure.unsupportedTransferEncoding.status == 501)
        #expect(RequestFailure.unsupportedVersion.status == 505)
    }
}

import HTTPText
import Testing

@Suite struct ResponseTests {
    private let date = HTTPDate(unixSeconds: 784_111_777)

    private func form(_ text: String) throws -> ResponseForm { try head(text).responseForm }

    private func text(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false
        )
        .map(String.init)
    }

    @Test func `an answer has its status, its headers and its body`() throws {
        var response = ResponseHead(status: 200)
        response.append("Content-Type", "application/json")
        let bytes = response.message(
            body: Array("null".utf8), form: try form(request("GET / HTTP/1.1")), date: date)
        #expect(
            text(bytes) == [
                "HTTP/1.1 200 OK", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length: 4",
                "Content-Type: application/json", "", "null",
            ])
    }

    @Test func `an answer to HEAD has the length of a body, and no body`() throws {
        let bytes = ResponseHead(status: 200).message(
            body: Array("null".utf8), form: try form(request("HEAD / HTTP/1.1")), date: date)
        #expect(text(bytes).suffix(3) == ["Content-Length: 4", "", ""])
    }

    @Test(arguments: [204, 304])
    func `a status without a body has no length`(status: Int) throws {
        let bytes = ResponseHead(status: status).message(
            form: try form(request("GET / HTTP/1.1")), date: date)
        #expect(text(bytes).count == 4)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", nil),
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "Connection: close"),
        ("GET / HTTP/1.0\r\n\r\n", "Connection: close"),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "Connection: keep-alive"),
    ])
    func `an answer says whether the connection closes`(request: String, line: String?) throws {
        let lines = text(
            ResponseHead(status: 200).message(form: try form(request), date: date))
        #expect(lines.first { $0.hasPrefix("Connection") } == line)
        let closing = text(
            ResponseHead(status: 200).message(form: try form(request).closing, date: date))
        #expect(closing.contains("Connection: close"))
    }

    @Test func `the answer to invalid input closes the connection`() {
        let failure = RequestFailure.unsupportedVersion
        let bytes = ResponseHead(status: failure.status).message(
            body: Array(failure.problem.utf8), form: .afterFailure, date: date)
        #expect(text(bytes).first == "HTTP/1.1 505 HTTP Version Not Supported")
        #expect(text(bytes).contains("Connection: close"))
    }

    @Test func `an upgrade says so`() throws {
        var response = ResponseHead(status: 101)
        response.append("Upgrade", "websocket")
        let bytes = response.message(form: try form(request("GET / HTTP/1.1")), date: date)
        #expect(
            text(bytes).filter { !$0.hasPrefix("Date") } == [
                "HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket", "",
                "",
            ])
    }

    @Test func `a client that waits with its body receives 100 Continue`() {
        let text = String(decoding: ResponseHead.continueMessage, as: UTF8.self)
        #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test func `no value ends its line`() throws {
        var response = ResponseHead(status: 200)
        response.append("A", "b\r\nSet-Cookie: c\u{0}\u{7F}\u{1}\tzoë")
        let bytes = response.message(form: .afterFailure, date: date)
        #expect(text(bytes).contains("A: b  Set-Cookie: c   \tzoë"))
        #expect(text(bytes).count == 7)
        #expect(ResponseHead.isValue("zoë\t"))
        #expect(!ResponseHead.isValue("a\rb"))
        #expect(!ResponseHead.isValue("a\nb"))
    }

    @Test func `a body in pieces is chunked`() throws {
        let (head, body) = ResponseHead(status: 200).stream(
            form: try form(request("GET / HTTP/1.1")), date: date)
        #expect(text(head).suffix(3) == ["Transfer-Encoding: chunked", "", ""])
        #expect(text(body.piece([UInt8](repeating: 0x61, count: 26)))[0] == "1a")
        #expect(body.piece(Array("hi".utf8)) == Array("2\r\nhi\r\n".utf8))
        #expect(body.piece([]) == [])
        #expect(body.end == Array("0\r\n\r\n".utf8))
        #expect(!body.endsConnection)
    }

    @Test func `a body in pieces ends with the connection in HTTP 1_0`() throws {
        let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        let (head, body) = ResponseHead(status: 200).stream(form: try form(request), date: date)
        #expect(text(head).contains("Connection: close"))
        #expect(!text(head).contains("Transfer-Encoding: chunked"))
        #expect(body.piece(Array("hi".utf8)) == Array("hi".utf8))
        #expect(body.end == [])
        #expect(body.endsConnection)
    }

    @Test func `an answer to HEAD has no pieces`() throws {
        let (head, body) = ResponseHead(status: 200).stream(
            form: try form(request("HEAD / HTTP/1.1", "Connection: close")), date: date)
        #expect(text(head).contains("Transfer-Encoding: chunked"))
        #expect(body.piece(Array("hi".utf8)) == [])
        #expect(body.end == [])
        #expect(body.endsConnection)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_795_305_600, "Sun, 22 Nov 2026 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a date has the form of HTTP`(seconds: Int64, text: String) {
        #expect(HTTPDate(unixSeconds: seconds).text == text)
    }

    @Test(arguments: [
        ("{\"a\":1}", "event: put\ndata: {\"a\":1}\n\n"),
        ("", "event: put\ndata: \n\n"),
        ("a\nb", "event: put\ndata: a\ndata: b\n\n"),
        ("a\rb", "event: put\ndata: a\ndata: b\n\n"),
        ("a\r\nb\r\rc\n", "event: put\ndata: a\ndata: b\ndata: \ndata: c\ndata: \n\n"),
    ])
    func `an event has a line for each line of its data`(data: String, text: String) {
        let bytes = EventStreamText.bytes(event: "put", data: Array(data.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
}

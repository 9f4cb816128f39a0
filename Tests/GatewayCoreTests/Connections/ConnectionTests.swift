import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// One connection: pipelined requests, deadlines, bounds.
@Suite struct ConnectionTests {
    private var node = TestGateway()

    private static let three =
        TestGateway.request("/a.json", "PUT", body: #"{"x":1}"#)
        + TestGateway.request("/a/x.json") + TestGateway.request("/a.json", "DELETE")

    @Test mutating func `requests sent ahead are answered in order`() {
        let id = node.connect()
        node.send(ConnectionTests.three, by: id)
        #expect(node.answers(id).map(\.body) == [#"{"x":1}"#, "1", "null"])
        #expect(!node.closed.contains(id))
    }

    @Test mutating func `answers do not depend on how bytes are split`() {
        let bytes = Array(ConnectionTests.three.utf8)
        for cut in 1..<bytes.count {
            let id = node.connect()
            node.send(Array(bytes[..<cut]), by: id)
            node.send(Array(bytes[cut...]), by: id)
            #expect(node.answers(id).map(\.body) == [#"{"x":1}"#, "1", "null"], "at \(cut)")
        }
        let id = node.connect()
        for byte in bytes { node.send([byte], by: id) }
        #expect(node.answers(id).map(\.body) == [#"{"x":1}"#, "1", "null"])
    }

    @Test mutating func `a connection closes if its client says so, or speaks HTTP 1.0`() {
        let id = node.connect()
        node.send(TestGateway.request("/a.json", "GET", ["Connection: close"]), by: id)
        #expect(node.answers(id).map { $0["connection"] } == ["close"])
        #expect(node.closed.contains(id))
        let old = node.connect()
        node.send("GET /a.json HTTP/1.0\r\n\r\n", by: old)
        #expect(node.answers(old).map(\.body) == ["null"])
        #expect(node.closed.contains(old))
    }

    @Test mutating func `the end of a connection ends its session, if it has one`() {
        let quiet = node.connect()
        node.turn([.closed(quiet)])
        #expect(node.sessionOutputs == [])
        let id = node.connect()
        node.send(TestGateway.request("/a.json"), by: id)
        node.turn([.closed(id)])
        #expect(node.sessionOutputs == [.end(id)])
    }

    @Test mutating func `invalid input is refused once, and the connection closes`() {
        let id = node.connect()
        node.send("GET /a.json HTTP/1.1\nHost: x\n\n" + TestGateway.request("/a.json"), by: id)
        #expect(node.answers(id).map(\.status) == [400])
        #expect(node.closed.contains(id))
        node.send(TestGateway.request("/a.json"), by: id)
        #expect(node.read(id) == [])
    }

    @Test mutating func `a refused request with a short body keeps the connection`() {
        let id = node.connect()
        node.send(
            TestGateway.request("/a.json?print=pretty", "PUT", ["Content-Encoding: br"], body: "1")
                + TestGateway.request("/a.json"), by: id)
        #expect(node.answers(id).map(\.status) == [415, 200])
        #expect(!node.closed.contains(id))
    }

    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    mutating func `a refused request with a long body is answered before the body comes`(
        framing: String
    ) {
        let id = node.connect()
        node.send(
            TestGateway.request("/a.json", "PUT", ["Origin: http://evil.test", framing]), by: id)
        let answers = node.answers(id)
        #expect(answers.map(\.status) == [403])
        #expect(answers.first?["connection"] == "close")
        #expect(node.closed.contains(id))
    }

    @Test mutating func `25: a body above the limit is refused at the head, without 100 Continue`()
    {
        let id = node.connect()
        node.send(
            TestGateway.request(
                "/big.json", "PUT", ["Content-Length: 41943040", "Expect: 100-continue"]), by: id)
        let text = node.text(id)
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(!text.contains("100 Continue"))
        #expect(node.closed.contains(id))
    }

    @Test mutating func `25: a body in chunks is read, and refused above the limit`() {
        var configuration = GatewayConfiguration()
        configuration.limits.bodyBytes = 10
        node = TestGateway(configuration)
        let head = TestGateway.request("/a.json", "PUT", ["Transfer-Encoding: chunked"])
        let id = node.connect()
        node.send(head + "4\r\n\"abc\r\n6\r\ndefgh\"\r\n0\r\n\r\n", by: id)
        #expect(node.answers(id).map(\.body) == [#""abcdefgh""#])
        node.send(head + "4\r\n\"abc\r\n7\r\ndefghi\"\r\n0\r\n\r\n", by: id)
        #expect(node.answers(id).map(\.status) == [413])
        #expect(node.value == json(#"{"a":"abcdefgh"}"#))
    }

    @Test mutating func `a client that waits receives 100 Continue`() {
        let id = node.connect()
        let head = TestGateway.request(
            "/a.json", "PUT", ["Content-Length: 1", "Expect: 100-continue"])
        node.send(head, by: id)
        #expect(node.text(id) == "HTTP/1.1 100 Continue\r\n\r\n")
        node.send("7", by: id)
        #expect(node.answers(id).map(\.body) == ["7"])
        // One that does not wait after all is not told so.
        node.send(head + "8", by: id)
        #expect(!node.text(id).contains("100 Continue"))
    }

    @Test mutating func `bodies that are not complete have a bound together`() {
        var configuration = GatewayConfiguration()
        configuration.bodiesBytes = 100
        node = TestGateway(configuration)
        let head = TestGateway.request("/a.json", "PUT", ["Content-Length: 60"])
        let ids = (0..<2).map { _ in node.connect() }
        for id in ids { node.send(head + String(repeating: " ", count: 50), by: id) }
        #expect(node.read(ids[0]) == [])
        node.send(" ", by: ids[1])
        let refused = node.answers(ids[1])
        #expect(refused.map(\.status) == [503])
        #expect(refused.first?["retry-after"] == "1")
        // The refused body counts no more.
        let next = node.connect()
        node.send(head + String(repeating: " ", count: 40), by: next)
        node.send("        12", by: ids[0])
        #expect(node.answers(ids[0]).map(\.body) == ["12"])
        node.turn([.closed(next)])
        let last = node.connect()
        node.send(
            TestGateway.request("/a.json", "PUT", body: String(repeating: " ", count: 99) + "3"),
            by: last)
        #expect(node.answers(last).map(\.body) == ["3"])
    }

    @Test mutating func `a node that does not serve says so, and is asked nothing`() {
        node = TestGateway(serving: false)
        let answer = node.curl("/a.json", "PUT", body: "1")
        #expect(answer.status == 503)
        #expect(answer["retry-after"] == "1")
        #expect(answer.error == "This node cannot do this at present: starting.")
        #expect(node.asks == 0)
        #expect(node.curl("/health").status == 503)
        node.turn([.became(.serving)])
        #expect(node.curl("/a.json", "PUT", body: "1").status == 200)
        node.turn([.became(.impaired(reason: "evicted"))])
        #expect(node.curl("/a.json").body == "1")
        let health = node.curl("/health")
        #expect(health.status == 503)
        #expect(health.body == "{\"status\":\"evicted\"}\n")
    }

    @Test mutating func `/health says ok`() {
        let answer = node.curl("/health")
        #expect(answer.status == 200)
        #expect(answer.body == "{\"status\":\"ok\"}\n")
        #expect(node.curl("/health", "HEAD").status == 200)
        #expect(node.curl("/health", "PUT", body: "1").status == 405)
    }
}

/// Deadlines and numbers of connections.
@Suite struct ConnectionBoundTests {
    private var node = TestGateway()

    @Test(arguments: ["/a.json", "/health"])
    mutating func `a connection without requests is closed after a minute`(target: String) {
        let id = node.connect()
        node.wait(40_000)
        node.send(TestGateway.request(target), by: id)
        node.wait(59_000)
        #expect(!node.closed.contains(id))
        node.wait(1_600)
        #expect(node.closed.contains(id))
        #expect(node.answers(id).map(\.status) == [200])
    }

    @Test(arguments: [
        "GET /a.json HTTP/1.1\r\nHost: localhost\r\n",
        "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
    ])
    mutating func `a request that comes byte by byte has ten seconds`(start: String) {
        let id = node.connect()
        node.send(start, by: id)
        for _ in 0..<9 {
            node.wait(1_000)
            node.send("x", by: id)
        }
        #expect(!node.closed.contains(id))
        node.wait(1_600)
        #expect(node.closed.contains(id))
        #expect(node.answers(id).map(\.status) == [408])
    }

    @Test mutating func `a large body has more time`() {
        let id = node.connect()
        let length = 160 << 10
        node.send(TestGateway.request("/a.json", "PUT", ["Content-Length: \(length)"]), by: id)
        node.wait(19_000)
        #expect(!node.closed.contains(id))
        node.send(String(repeating: " ", count: length - 1) + "5", by: id)
        #expect(node.answers(id).map(\.body) == ["5"])
    }

    @Test mutating func `connections beyond the limit are refused, and no other one is`() {
        var configuration = GatewayConfiguration()
        configuration.connectionLimit = 3
        node = TestGateway(configuration)
        let ids = (0..<4).map { _ in node.connect() }
        #expect(node.answers(ids[3]).map(\.status) == [503])
        #expect(node.closed == [ids[3]])
        node.turn([.closed(ids[3]), .closed(ids[0])])
        let next = node.connect()
        node.send(TestGateway.request("/a.json"), by: next)
        #expect(node.answers(next).map(\.status) == [200])
    }

    @Test mutating func `another machine has its own limit`() {
        var configuration = GatewayConfiguration()
        configuration.connectionLimitPerHost = 2
        node = TestGateway(configuration)
        let far = RemoteAddress(host: "192.0.2.1", isLoopback: false)
        let ids = (0..<3).map { _ in node.connect(from: far) }
        #expect(node.closed == [ids[2]])
        for _ in 0..<5 { _ = node.connect() }
        #expect(node.closed == [ids[2]])
        node.turn([.closed(ids[2]), .closed(ids[1])])
        let next = node.connect(from: far)
        #expect(!node.closed.contains(next))
    }
}

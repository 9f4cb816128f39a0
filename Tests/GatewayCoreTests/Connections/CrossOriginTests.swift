import DataTree
import Testing

@testable import GatewayCore

/// Web pages of other origins, other names of this server, and native clients.
@Suite struct CrossOriginTests {
    private var node = TestGateway()

    init() {
        var configuration = GatewayConfiguration()
        configuration.origins = ["https://app.example.com"]
        configuration.hosts = ["db.example.com"]
        node = TestGateway(configuration)
    }

    @Test mutating func `a page may send a preflight request`() {
        let answer = node.curl(
            "/a.json", "OPTIONS",
            [
                "Origin: https://app.example.com", "Access-Control-Request-Method: PUT",
                "Access-Control-Request-Headers: x-firebase-etag, if-match",
            ])
        #expect(answer.status == 204)
        #expect(answer["access-control-allow-origin"] == "https://app.example.com")
        #expect(
            answer["access-control-allow-methods"] == "GET, PUT, POST, PATCH, DELETE, OPTIONS")
        #expect(answer["access-control-allow-headers"] == "x-firebase-etag, if-match")
        #expect(answer["access-control-max-age"] == "86400")
        #expect(answer["vary"] == "Origin")
        #expect(node.curl("/a.json", "OPTIONS", ["Origin: http://evil.test"]).status == 403)
    }

    @Test(arguments: [
        "http://localhost:3000", "http://127.0.0.1", "https://app.example.com",
        "http://127.0.0.1:9000",
    ])
    mutating func `an allowed page is named in the answer, errors too`(origin: String) {
        for target in ["/a.json", "/a.json?limitToFirst=1", "/a", "/health"] {
            let answer = node.curl(target, "GET", ["Origin: \(origin)"])
            #expect(answer["access-control-allow-origin"] == origin)
            #expect(answer["access-control-expose-headers"]?.hasPrefix("ETag") == true)
            #expect(answer["vary"] == "Origin")
        }
        #expect(node.curl("/a.json")["access-control-allow-origin"] == nil)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"])
    mutating func `another page is refused before anything is done`(method: String) {
        for target in ["/a.json", "/metrics", "/.hearth", "/none"] {
            let body = method == "GET" || method == "HEAD" ? nil : "{}"
            let answer = node.curl(target, method, ["Origin: https://evil.test"], body: body)
            #expect(answer.status == 403)
            #expect(answer["access-control-allow-origin"] == nil)
        }
        #expect(node.asks == 0)
    }

    @Test(arguments: [
        ("db.example.com:9000", 200), ("localhost", 200), ("[::1]:9000", 200),
        ("10.0.2.2:9000", 200), ("evil.test", 421), ("db.example.com.evil.test", 421),
    ])
    mutating func `a request is for a name that this server has`(host: String, status: Int) {
        #expect(node.curl("/a.json", "GET", ["Host: \(host)"]).status == status)
    }

    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: hearth.1",
    ]

    @Test mutating func `a native client takes over its connection`() {
        let id = node.connect()
        node.send(TestGateway.request("/a.json"), by: id)
        _ = node.answers(id)
        node.send(
            TestGateway.request("/.hearth", "GET", CrossOriginTests.upgrade) + "frames", by: id)
        let text = node.text(id)
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        #expect(text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(text.contains("Sec-WebSocket-Protocol: hearth.1\r\n"))
        #expect(node.native == [id: Array("frames".utf8)])
        // The session of its requests is over, so that one of frames can begin.
        #expect(node.sessionOutputs == [.end(id)])
        node.wait(120_000)
        #expect(!node.closed.contains(id))
        node.turn([.closed(id)])
        #expect(node.sessionOutputs == [.end(id)])
    }

    @Test(arguments: [
        (0, 426), (1, 426), (2, 426), (3, 400), (4, 400),
    ])
    mutating func `a native client names all that a WebSocket needs`(missing: Int, status: Int) {
        var fields = CrossOriginTests.upgrade
        fields.remove(at: missing)
        #expect(node.curl("/.hearth", "GET", fields).status == status)
        #expect(node.native.isEmpty)
    }

    @Test mutating func `a native client is refused while the node does not serve`() {
        node.turn([.became(.unavailable(reason: "catching up"))])
        #expect(node.curl("/.hearth", "GET", CrossOriginTests.upgrade).status == 503)
    }
}

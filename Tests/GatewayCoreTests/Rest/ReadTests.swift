import DataTree
import ReplicaCore
import Testing

@testable import GatewayCore

/// How the answers to reads are written.
@Suite struct ReadTests {
    private var node = TestGateway()

    init() {
        _ = node.curl(
            "/r.json", "PUT",
            body: #"{"a":{"b":1,".priority":"x"},"l":[true,2.5,"\u00e9\n"],"s":"text"}"#)
    }

    @Test(arguments: [
        ("", #"{"a":{"b":1},"l":[true,2.5,"é\n"],"s":"text"}"#),
        (
            "format=export",
            #"{"a":{"b":1,".priority":"x"},"l":{"0":true,"1":2.5,"2":"é\n"},"s":"text"}"#
        ),
        ("shallow=true", #"{"a":true,"l":true,"s":true}"#),
        ("shallow=true&print=pretty", "{\n  \"a\": true,\n  \"l\": true,\n  \"s\": true\n}"),
        ("callback=app.on_1$", #"app.on_1$({"a":{"b":1},"l":[true,2.5,"é\n"],"s":"text"});"#),
    ])
    mutating func `a read has a form`(parameters: String, body: String) {
        #expect(node.curl("/r.json?" + parameters).body == body)
    }

    @Test mutating func `a pretty read is indented`() {
        #expect(node.curl("/r/a.json?print=pretty").body == "{\n  \"b\": 1\n}")
        let body = node.curl("/w.json?print=pretty", "PATCH", body: #"{"x":{"y":2},"z":null}"#).body
        #expect(body.contains("\n  \"z\": null"))
        #expect(json(body) == json(#"{"x":{"y":2}}"#))
    }

    @Test(arguments: [
        ("x.json", "attachment; filename=\"x.json\""),
        ("a%22b%0D%0AX:1.json", "attachment; filename=\"abX1.json\""),
        ("../../etc/passwd", "attachment; filename=\"etcpasswd\""),
    ])
    mutating func `a download has a clean name`(name: String, disposition: String) {
        #expect(node.curl("/r.json?download=" + name)["content-disposition"] == disposition)
        #expect(node.curl("/r.json?download=%22%2F")["content-disposition"] == nil)
    }

    @Test(arguments: ["", "a(b)", "a%20b", "a%0Db", "a-b", String(repeating: "x", count: 129)])
    mutating func `a callback is the name of a function`(name: String) {
        let answer = node.curl("/r.json?callback=" + name)
        #expect(answer.status == 400)
        #expect(answer.error == "callback must be the name of a function")
    }

    @Test(arguments: [
        (["Sec-Fetch-Site: cross-site"], 403),
        (["Sec-Fetch-Site: same-origin"], 200),
        (["Sec-Fetch-Site: none"], 200),
        (["Referer: http://evil.test/a/b"], 403),
        (["Referer: http://127.0.0.1:8000/a/b"], 200),
        (["Referer: nonsense"], 403),
        ([], 200),
        (["Host: 192.0.2.7:9000"], 403),
        (["Host: 192.0.2.7:9000", "Referer: http://127.0.0.1:8000/"], 200),
    ])
    mutating func `a page of another site loads no script`(
        fields: [String], status: Int
    ) {
        #expect(node.curl("/r.json?callback=f", "GET", fields).status == status)
    }

    @Test mutating func `a HEAD has the head of a GET and no body`() {
        let get = node.curl("/r.json", "GET", ["X-Firebase-ETag: true"])
        let head = node.curl("/r.json", "HEAD", ["X-Firebase-ETag: true"])
        #expect(head.status == 200)
        #expect(head.fields == get.fields)
        #expect(head.body.isEmpty)
        let id = node.connect()
        node.send(TestGateway.request("/r.json", "HEAD"), by: id)
        #expect(node.text(id).hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        ("/a%2Fb.json", "Invalid path: Invalid token in path"),
        ("/a.b/c.json", "Invalid path: Invalid token in path"),
        ("/a$/c.json", "Invalid path: Invalid token in path"),
        ("/.info/connected.json", "Invalid path: Invalid token in path"),
        ("/a/.priority/b.json", "Invalid path: Invalid token in path"),
        ("/a%GG.json", "The URI has %GG, which is not an escape: write % as %25."),
        ("/a.json?x=%G", "The URI has %G, which is not an escape: write % as %25."),
    ])
    mutating func `a path that no location has is refused`(target: String, text: String) {
        let answer = node.curl(target)
        #expect(answer.status == 400)
        #expect(answer.error == text)
    }

    @Test mutating func `keys may have spaces, plus signs and other letters`() {
        let target = "/x/a%20b+c&d%25/%C3%A9.json"
        #expect(node.curl(target, "PUT", body: "1").status == 200)
        #expect(node.value[Key(unchecked: "x")] == json(#"{"a b+c&d%":{"é":1}}"#))
        #expect(node.curl("/x/a%20b+c&d%25/é.json").body == "1")
    }

    @Test mutating func `the root is a location`() {
        #expect(node.curl("/.json?shallow=true").body == #"{"r":true}"#)
        #expect(node.curl("/.json", "DELETE").body == "null")
        #expect(node.value.isNull)
    }

    @Test(arguments: [("10s", 200), ("200ms", 504)])
    mutating func `a read waits until it is stable, or says that it is not`(
        limit: String, status: Int
    ) {
        let id = node.connect()
        node.send(
            TestGateway.request("/r/s.json", "GET", ["Hearth-Stable: \(limit)"]), by: id)
        #expect(node.answers(id) == [])
        for _ in 0..<40 { node.wait(250) }
        #expect(node.answers(id).map(\.status) == [status])
    }

    @Test func `where too many wait already, the request is good and the node is not`() {
        var limits = ReplicaLimits()
        limits.stabilityWaiters = 1
        var node = TestGateway(limits: limits)
        let request = TestGateway.request("/r.json", "GET", ["Hearth-Stable: 10s"])
        let (first, second) = (node.connect(), node.connect())
        node.send(request, by: first)
        node.send(request, by: second)
        let refused = node.answers(second)
        #expect(refused.map(\.status) == [503])
        #expect(refused.first?.body.contains("1 clients already wait") == true)
        #expect(refused.first?.body.contains("another node") == true)
        for _ in 0..<40 { node.wait(250) }
        #expect(node.answers(first).map(\.status) == [200])
    }

    @Test(arguments: ["5", "soon", "20min", "-1s", "99999999999999999999s"])
    mutating func `a limit is a time`(limit: String) {
        #expect(node.curl("/r.json", "GET", ["Hearth-Stable: \(limit)"]).status == 400)
    }
}

import DataTree
import HTTPText
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// A port whose clients have to show a secret.
@Suite struct SecretTests {
    private var node = TestGateway(TestSecrets.configuration)

    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: hearth.1",
    ]
    private static let right = "Authorization: Bearer alpha-secret"

    /// The answer to a request, which has to come after 100 ms, be the connection's last, and ask nothing of the replica.
    private mutating func refusal(
        of target: String, _ method: String = "GET", _ fields: [String] = [],
        body: String? = nil
    ) -> TestAnswer {
        let id = node.connect()
        let asks = node.asks
        node.send(TestGateway.request(target, method, fields, body: body), by: id)
        #expect(node.read(id).isEmpty)
        node.wait(99)
        #expect(node.read(id).isEmpty)
        node.wait(1)
        #expect(node.closed.contains(id))
        #expect(node.asks == asks && node.openSessions.isEmpty && node.native.isEmpty)
        let answers = TestAnswer.all(in: node.read(id), toHead: method == "HEAD")
        guard answers.count == 1 else {
            Issue.record("\(answers.count) answers to \(method) \(target)")
            return TestAnswer(status: 0)
        }
        return answers[0]
    }

    @Test(arguments: [
        ("/a.json", "GET", []), ("/a.json", "HEAD", []), ("/a.json", "PUT", []),
        ("/a.json", "POST", []), ("/a.json", "PATCH", []), ("/a.json", "DELETE", []),
        ("/a.json", "POST", ["X-HTTP-Method-Override: DELETE"]),
        ("/a.json?x-http-method-override=PUT", "POST", []), ("/.json?shallow=true", "GET", []),
        ("/a.json", "GET", ["Accept: text/event-stream"]), ("/a.json?callback=f", "GET", []),
        ("/a.json?ns=x&timeout=1s", "GET", ["if-none-match: x"]), ("/metrics", "GET", []),
        ("/.hearth", "GET", SecretTests.upgrade), ("/.ws/", "GET", SecretTests.upgrade),
        ("/health/x.json", "GET", []), ("/", "GET", []), ("/a", "GET", ["Accept: text/html"]),
        ("/%zz.json?auth=%zz", "GET", []),
    ])
    mutating func `nothing is done without a secret`(
        target: String, method: String, fields: [String]
    ) {
        let body = ["GET", "HEAD"].contains(method) ? nil : #"{"x":1}"#
        let answer = refusal(of: target, method, fields, body: body)
        #expect(answer.status == 401)
        #expect(answer["www-authenticate"] == "Bearer")
        if method != "HEAD" { #expect(answer.error == "Permission denied") }
    }

    @Test(arguments: [
        ("?auth=", []), ("?auth=alpha-secre", []), ("?auth=alpha-secret2", []),
        ("?auth=Alpha-secret", []), ("?access_token=x", []), ("?auth=x&auth=alpha-secret", []),
        ("?auth=alpha-secret&access_token=x", []), ("?auth=x", [SecretTests.right]),
        ("", ["Authorization: Bearer alpha-secreT"]), ("", ["Authorization: Bearer"]),
        ("", ["Authorization: Basic alpha-secret"]), ("", ["Authorization: Digest alpha-secret"]),
        ("", ["Authorization: alpha-secret"]),
        ("", [SecretTests.right, "Authorization: Bearer x"]),
        ("?auth=" + String(repeating: "x", count: 5_000), []),
        ("?auth=alpha-secret%00", []), ("?auth=owner", []), ("", ["Authorization: Bearer owner"]),
    ])
    mutating func `a wrong secret is refused like any other, in any place`(
        query: String, fields: [String]
    ) {
        let answer = refusal(of: "/a.json" + query, "GET", fields)
        #expect(answer == refusal(of: "/b.json?auth=wrong"))
        #expect(answer.status == 401)
        #expect(answer.error == "Could not parse auth token.")
        #expect(!answer.body.contains("secreT"))
    }

    @Test(arguments: [
        ("?auth=alpha-secret", []), ("?auth=beta-secret", []), ("?access_token=alpha-secret", []),
        ("?auth=alpha%2Dsecret", []), ("", [SecretTests.right]),
        ("", ["authorization: bearer  beta-secret"]), ("?auth=beta-secret", [SecretTests.right]),
    ])
    mutating func `a secret opens everything`(query: String, fields: [String]) {
        #expect(node.curl("/a.json" + query, "PUT", fields, body: "7").status == 200)
        #expect(node.curl("/a.json" + query, "GET", fields).body == "7")
        #expect(node.curl("/metrics" + query, "GET", fields).status == 200)
        #expect(node.curl("/none" + query, "GET", fields).status == 404)
        let stream = node.connect()
        node.send(
            TestGateway.request("/a.json" + query, "GET", fields + ["Accept: text/event-stream"]),
            by: stream)
        #expect(node.text(stream).contains("event: put"))
        let native = node.connect()
        node.send(
            TestGateway.request("/.hearth" + query, "GET", fields + Self.upgrade), by: native)
        #expect(node.native[native] != nil)
    }

    @Test mutating func `a secret that acts as some user may do nothing, as there are no rules`() {
        for user in [#"{"uid":"ada"}"#, "null"] {
            let query = "auth_variable_override=\(user)"
            #expect(refusal(of: "/a.json?\(query)", "GET", [Self.right]).status == 401)
        }
    }

    @Test mutating func `with rules, a client without a credential is a user`() {
        node.turn([.hasRules(true)])
        let id = node.connect()
        node.send(TestGateway.request("/a.json"), by: id)
        #expect(node.identities[id] == [.anonymous])
        #expect(node.answers(id).map(\.error) == ["Permission denied"])
        let native = node.connect()
        node.send(TestGateway.request("/.hearth", "GET", Self.upgrade), by: native)
        #expect(node.identities[native] == [.anonymous] && node.native[native] != nil)
        let override = principal(of: "/a.json?auth_variable_override=null", [Self.right])
        #expect(override == .override(.null))
        node.turn([.hasRules(false)])
        let asks = node.asks
        let stranger = node.connect()
        node.send(TestGateway.request("/a.json"), by: stranger)
        node.wait(100)
        #expect(node.answers(stranger).map(\.status) == [401] && node.asks == asks)
        // A native client that gives up what it has shown has nothing left to do.
        let other = node.connect()
        node.send(TestGateway.request("/.hearth", "GET", Self.upgrade + [Self.right]), by: other)
        node.turn([.credential(other, CredentialMessage.none.bytes)])
        #expect(node.closed.contains(other) && node.identities[other] == [TestSecrets.alpha])
    }

    private mutating func principal(of target: String, _ fields: [String]) -> Principal? {
        let id = node.connect()
        node.send(TestGateway.request(target, "GET", fields), by: id)
        return node.identities[id]?.last
    }

    @Test mutating func `health and preflight requests need no secret`() {
        #expect(node.curl("/health").status == 200)
        #expect(node.curl("/a.json", "OPTIONS").status == 204)
        #expect(refusal(of: "/health.json").status == 401)
    }

    @Test mutating func `pages of all sites may send requests, as they have no secret`() {
        let origin = "Origin: https://other.test"
        #expect(node.curl("/a.json", "GET", [origin, Self.right]).status == 200)
        let answer = refusal(of: "/a.json", "GET", [origin])
        #expect(answer.status == 401)
        #expect(answer["access-control-allow-origin"] == "https://other.test")
        #expect(node.curl("/a.json?callback=f&auth=alpha-secret").status == 200)
        let host = ["Host: evil.test", Self.right]
        #expect(node.curl("/a.json", "GET", host).status == 421)
    }

    @Test mutating func `no Referer reveals the credential in an address`() {
        #expect(node.curl("/a.json?auth=beta-secret")["referrer-policy"] == "no-referrer")
        var open = TestGateway()
        #expect(open.curl("/a.json")["referrer-policy"] == nil)
    }

    @Test mutating func `the body of a refused request is dropped, and later input is not read`() {
        let id = node.connect()
        node.send(
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", by: id)
        node.send([UInt8](repeating: 0x31, count: 500_000), by: id)
        node.send("GET /a.json?auth=alpha-secret HTTP/1.1\r\nHost: localhost\r\n\r\n", by: id)
        node.wait(100)
        #expect(node.answers(id).map(\.status) == [401])
        #expect(node.closed.contains(id) && node.asks == 0)
    }

    @Test mutating func `a client that goes before it is refused leaves nothing behind`() {
        let id = node.connect()
        node.send(TestGateway.request("/a.json"), by: id)
        node.turn([.closed(id)])
        node.wait(100)
        #expect(node.read(id).isEmpty)
        #expect(node.curl("/metrics", "GET", [Self.right]).body.contains("hearth_denied_total 1\n"))
    }

    @Test mutating func `the driver is asked to begin a turn when the next refusal is due`() {
        let (one, other) = (node.connect(), node.connect())
        node.send(TestGateway.request("/a.json"), by: one)
        node.wait(39)
        node.send(TestGateway.request("/a.json"), by: other)
        #expect(node.wakes.first == 100)
        node.wait(60)
        #expect(node.answers(one).count == 1 && node.answers(other).isEmpty)
        #expect(node.wakes.last == 40)
        node.wait(40)
        #expect(node.answers(other).count == 1)
    }

    @Test func `only so many refusals wait`() {
        var refusals = DelayedRefusals()
        for number in 1...UInt64(DelayedRefusals.limit) {
            let isAdded = refusals.add(SessionID(number: number), at: 7)
            #expect(isAdded)
        }
        let isAdded = refusals.add(SessionID(number: 1), at: 7)
        #expect(!isAdded)
        let early = refusals.removeDue(at: 106)
        let due = refusals.removeDue(at: 107)
        #expect(early.isEmpty && due.count == DelayedRefusals.limit)
        #expect(refusals.nextMilliseconds == nil)
    }
}

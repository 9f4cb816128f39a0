import DataTree
import HTTPText
import Rules
import SyncProtocol
import Testing
import Tokens

@testable import GatewayCore

/// A port whose clients may show tokens, above a replica that judges what users do.
@Suite struct TokenTests {
    private var node = TestGateway(TestTokens.configuration)

    init() {
        // There are no rules here: the identity does not change the outcome.
        node.client = .administrator(name: nil)
    }

    private static let ada = TestTokens.token("ada")
    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: hearth.1",
    ]

    /// The identity that the replica receives for a request; nil if the request does not reach it.
    private mutating func principal(
        _ target: String, _ fields: [String] = []
    ) -> (Principal?, TestAnswer?) {
        let id = node.connect()
        node.send(TestGateway.request(target, "GET", fields), by: id)
        node.wait(100)
        defer { node.turn([.closed(id)]) }
        return (node.identities[id]?.last, node.answers(id).first)
    }

    @Test(arguments: [3e13, 1e300])
    mutating func `a token that expires in a million years shows its user`(seconds: Double) {
        let token = TestTokens.token("ada", seconds: seconds)
        let user = TestTokens.user("ada", seconds: seconds)
        #expect(principal("/a.json?auth=\(token)").0 == user)
    }

    private static let doors: [(query: String, fields: [String], Principal)] = [
        ("", [], .anonymous),
        ("?auth=\(ada)", [], TestTokens.user("ada")),
        ("?access_token=\(ada)", [], TestTokens.user("ada")),
        ("", ["Authorization: Bearer \(ada)"], TestTokens.user("ada")),
        ("?auth=\(ada)", ["Authorization: Bearer \(ada)"], TestTokens.user("ada")),
        ("?auth=alpha-secret", [], TestSecrets.alpha),
        ("?auth=\(TestTokens.administrator)", [], .administrator(name: "token:root")),
        (
            "?auth=\(TestTokens.administrator)&access_token=alpha-secret", [],
            .administrator(name: "token:root")
        ),
        ("?auth=alpha-secret&auth_variable_override=null", [], .override(.null)),
        (
            "?auth=alpha-secret&auth_variable_override=%7B%22uid%22:%22eve%22%7D", [],
            .override(.user("eve"))
        ),
    ]

    @Test(arguments: TokenTests.doors)
    mutating func `a request is executed as the user of its token`(
        query: String, fields: [String], principal: Principal
    ) {
        #expect(self.principal("/a.json" + query, fields).0 == principal)
        let stream = ["Accept: text/event-stream"]
        #expect(self.principal("/a.json" + query, fields + stream).0 == principal)
        let native = node.connect()
        node.send(
            TestGateway.request("/.hearth" + query, "GET", fields + Self.upgrade), by: native)
        #expect(node.identities[native] == [principal] && node.native[native] != nil)
    }

    private static let refused: [(query: String, error: String)] = [
        ("?auth=", "Could not parse auth token."), ("?auth=x", "Could not parse auth token."),
        ("?auth=\(ada)x", "Could not parse auth token."),
        ("?auth=\(ada)&access_token=x", "Could not parse auth token."),
        ("?auth=\(ada)&access_token=alpha-secret", "Could not parse auth token."),
        ("?auth=\(ada)&access_token=\(TestTokens.token("eve"))", "Could not parse auth token."),
        ("?auth=\(TestTokens.token("ada", seconds: -60))", "Auth token is expired"),
        ("?auth=eyJhbGciOiJub25lIn0.e30.", "Unsupported jwt algorithm: none"),
        ("?auth=owner", "Could not parse auth token."),
        ("?auth=\(ada)&auth_variable_override=null", "Permission denied"),
        ("?auth_variable_override=null", "Permission denied"),
    ]

    @Test(arguments: TokenTests.refused)
    mutating func `an invalid token is refused after a delay, and is never anonymous`(
        query: String, error: String
    ) throws {
        for target in ["/a.json", "/metrics", "/.hearth"] {
            let id = node.connect()
            node.send(TestGateway.request(target + query), by: id)
            let refusal = try #require(node.refusals.last)
            #expect(refusal.request == "GET \(target)" && refusal.status == 401)
            #expect(refusal.problem == error)
            node.wait(99)
            #expect(node.read(id).isEmpty)
            node.wait(1)
            let answers = node.answers(id)
            #expect(answers.map(\.status) == [401] && answers.map(\.error) == [error])
            #expect(node.identities[id] == nil)
        }
    }

    @Test mutating func `an override that is no JSON is a mistake of its sender`() {
        let query = "?auth=alpha-secret&auth_variable_override="
        for text in ["", "%7B", "%7B%22a%22:1,%22a%22:2%7D"] {
            #expect(node.curl("/a.json" + query + text).status == 400)
        }
    }

    @Test mutating func `metrics are for administrators`() {
        #expect(principal("/metrics?auth=\(Self.ada)").1?.error == "Permission denied")
        #expect(principal("/metrics").1?.status == 401)
        #expect(principal("/metrics?auth=\(TestTokens.administrator)").1?.status == 200)
        #expect(node.curl("/health").status == 200)
    }

    @Test mutating func `each request of a connection is executed as the user of its own token`() {
        let id = node.connect()
        for query in ["", "?auth=\(Self.ada)", "?auth=\(Self.ada)", "?auth=alpha-secret", ""] {
            node.send(TestGateway.request("/a.json" + query), by: id)
        }
        #expect(
            node.identities[id] == [
                .anonymous, TestTokens.user("ada"), TestSecrets.alpha, .anonymous,
            ])
        #expect(node.answers(id).map(\.status) == [200, 200, 200, 200, 200])
    }

    @Test mutating func `clients without a credential leave room for the bodies of others`() {
        var configuration = TestTokens.configuration
        configuration.bodiesBytes = 400
        node = TestGateway(configuration)
        node.client = .administrator(name: nil)
        func head(_ query: String) -> String {
            "PUT /a.json\(query) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
        }
        let strangers = (0..<2).map { _ in node.connect() }
        for (id, count) in zip(strangers, [100, 1]) {
            node.send(head("") + String(repeating: "1", count: count), by: id)
        }
        #expect(node.answers(strangers[0]).isEmpty)
        #expect(
            node.answers(strangers[1]).map(\.status) == [503] && node.closed.contains(strangers[1]))
        let other = node.connect()
        node.send(head("?auth=\(Self.ada)") + String(repeating: "1", count: 300), by: other)
        #expect(node.answers(other).isEmpty && !node.closed.contains(other))
        // What a stranger has sent that is gone is free again.
        node.turn([.closed(strangers[0])])
        let next = node.connect()
        node.send(head("") + String(repeating: "1", count: 100), by: next)
        #expect(node.answers(next).isEmpty)
    }

    @Test
    mutating func `a page of another site may use a port with tokens, unless they are unsigned`() {
        let origin = "Origin: https://other.test"
        #expect(node.curl("/a.json", "GET", [origin]).status == 200)
        #expect(node.curl("/a.json")["referrer-policy"] == "no-referrer")
        var configuration = GatewayConfiguration()
        configuration.tokens = TokenTrust([], acceptsUnsigned: true)
        node = TestGateway(configuration)
        node.client = .administrator(name: nil)
        #expect(node.curl("/a.json", "GET", [origin]).status == 403)
        #expect(principal("/a.json?auth=owner").0 == .administrator(name: "owner"))
        #expect(principal("/a.json").0 == .anonymous)
    }
}

// MARK: - Time

extension TokenTests {
    @Test mutating func `a stream ends as its token expires`() {
        let token = TestTokens.token("ada", seconds: 5)
        let id = node.connect()
        let request = TestGateway.request(
            "/a.json?auth=\(token)", "GET", ["Accept: text/event-stream"])
        node.send(request, by: id)
        #expect(node.text(id).contains("event: put"))
        node.wait(64_000)
        #expect(!node.text(id).contains("auth_revoked") && !node.closed.contains(id))
        node.wait(1_500)
        #expect(
            node.text(id).contains("event: auth_revoked\ndata: credential is no longer valid\n\n"))
        #expect(node.closed.contains(id))
    }

    @Test mutating func `a native client becomes anonymous once its token has expired`() {
        let token = TestTokens.token("ada", seconds: 5)
        let id = node.connect()
        node.send(TestGateway.request("/.hearth?auth=\(token)", "GET", Self.upgrade), by: id)
        node.wait(64_000)
        #expect(node.identities[id] == [TestTokens.user("ada", seconds: 5)])
        node.wait(1_500)
        #expect(node.identities[id] == [TestTokens.user("ada", seconds: 5), .anonymous])
        node.wait(1_500)
        #expect(node.identities[id]?.count == 2 && !node.closed.contains(id))
        #expect(node.text(id).hasSuffix("\u{07}expired"))
    }

    /// A native client that has shown a token.
    private mutating func nativeClient() -> SessionID {
        let id = node.connect()
        let request = TestGateway.request("/.hearth?auth=\(Self.ada)", "GET", Self.upgrade)
        node.send(request, by: id)
        _ = node.read(id)
        return id
    }

    @Test mutating func `a native client shows another token between its frames`() {
        let id = nativeClient()
        let eve = TestTokens.token("eve", seconds: 5)
        for message in [CredentialMessage.token(eve), .token("alpha-secret"), .none] {
            node.turn([.credential(id, message.bytes)])
            #expect(node.text(id).hasSuffix("\u{02}ok"))
        }
        #expect(
            node.identities[id] == [
                TestTokens.user("ada"), TestTokens.user("eve", seconds: 5), TestSecrets.alpha,
                .anonymous,
            ])
        // The end of the second token has no effect.
        node.wait(66_000)
        #expect(node.read(id).isEmpty && node.identities[id]?.count == 4)
    }

    @Test(arguments: ["token x", "token ", "hello", "", "ok", "expired", "token"])
    mutating func `a native client with an invalid token is disconnected`(text: String) {
        let id = nativeClient()
        node.turn([.credential(id, Array(text.utf8))])
        #expect(node.closed.contains(id) && node.identities[id] == [TestTokens.user("ada")])
    }

    @Test mutating func `changed keys apply to later requests`() {
        #expect(principal("/a.json?auth=\(Self.ada)").0 == TestTokens.user("ada"))
        node.turn([.trusts(TokenTrust([]))])
        #expect(principal("/a.json?auth=\(Self.ada)").1?.status == 401)
        node.turn([.trusts(TestTokens.trust)])
        #expect(principal("/a.json?auth=\(Self.ada)").0 == TestTokens.user("ada"))
    }
}

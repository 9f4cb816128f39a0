import DataTree
import HTTPText
import Rules
import SyncProtocol
import TLS
import Testing
import Tokens

@testable import GatewayCore

/// A node of a cluster that behaves as Firebase's emulator.
@Suite struct EmulatorTests {
    private static let rules =
        #"{"rules":{"u":{"$u":{".read":"auth.uid == $u"}},"n":{".read":true}}}"#
    private static let owner = ["Authorization: Bearer owner"]
    private static let target = "/.settings/rules.json"

    private var node = TestGateway(EmulatorTests.configuration) {
        ($0.unidentified, $0.permitsAllWithoutRules) = (.anonymous, true)
    }

    private static var configuration: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.tokens = TokenTrust([], acceptsUnsigned: true)
        configuration.isEmulator = true
        return configuration
    }

    /// A token as Firebase's clients make them for emulators.
    private static func unsigned(_ claims: String) -> String {
        [#"{"alg":"none","type":"JWT"}"#, claims].map { Base64URL.text(of: Array($0.utf8)) }
            .joined(separator: ".") + "."
    }

    private static let ada = unsigned(#"{"sub":"ada","user_id":"ada","exp":1}"#)

    /// The status of an answer, for which a wrong credential waits.
    private mutating func status(_ target: String, _ fields: [String] = []) -> Int? {
        let id = node.connect()
        node.send(TestGateway.request(target, "GET", fields), by: id)
        node.wait(100)
        defer { node.turn([.closed(id)]) }
        return node.answers(id).first?.status
    }

    @Test mutating func `everything is open without rules`() {
        #expect(node.curl("/a.json", "PUT", body: "1").status == 200)
        #expect(node.curl("/a.json?auth=\(Self.ada)").body == "1")
        let rules = node.curl(Self.target)
        #expect(rules.body == #"{"rules":{".read":true,".write":true}}"#)
        #expect(rules["etag"] == "null_etag")
        #expect(node.curl("/.settings/rules/history.json").status == 200)
    }

    @Test mutating func `rules apply to all but the owner`() {
        #expect(node.curl("/u.json", "PUT", body: #"{"ada":1,"eve":2}"#).status == 200)
        #expect(node.curl(Self.target, "PUT", Self.owner, body: Self.rules).status == 200)
        for (target, status) in [
            ("/u/ada.json", 401), ("/n.json", 200), ("/u/ada.json?auth=\(Self.ada)", 200),
            ("/u/eve.json?auth=\(Self.ada)", 401), ("/u/ada.json?auth=x", 401),
            ("/u.json?auth=owner", 200), (Self.target, 401), (Self.target + "?auth=owner", 200),
        ] {
            #expect(self.status(target) == status, "\(target)")
        }
        #expect(node.curl("/n.json", "PUT", body: "1").status == 401)
        #expect(node.curl("/n.json", "PUT", Self.owner, body: "1").status == 200)
        let status = node.curl("/.settings/rules/status.json").body
        #expect(status.contains(#""isEnforced":true"#), "\(status)")
    }

    @Test mutating func `the owner acts as a user`() {
        _ = node.curl("/u.json", "PUT", body: #"{"ada":1,"eve":2}"#)
        _ = node.curl(Self.target, "PUT", Self.owner, body: Self.rules)
        let override = "?auth_variable_override=%7B%22uid%22:%22ada%22%7D"
        #expect(node.curl("/u/ada.json" + override, "GET", Self.owner).body == "1")
        #expect(node.curl("/u/eve.json" + override, "GET", Self.owner).status == 401)
        #expect(status("/u/ada.json" + override) == 401)
    }

    @Test mutating func `a stream ends once rules refuse it`() {
        let stream = node.connect()
        node.send(
            TestGateway.request("/a.json", "GET", ["Accept: text/event-stream"]), by: stream)
        #expect(node.text(stream).contains("event: put"))
        _ = node.curl(Self.target, "PUT", Self.owner, body: Self.rules)
        #expect(node.text(stream).contains("event: cancel"))
    }

    @Test mutating func `reports on the node are for all clients`() {
        _ = node.curl(Self.target, "PUT", Self.owner, body: Self.rules)
        for target in ["/metrics", "/.settings/rules/status.json", "/.inspect/coverage.json"] {
            #expect(node.curl(target).status == 200, "\(target)")
        }
    }
}

import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// Open listens end with the identity of their client, in each protocol: the client receives the end and no later change.
@Suite struct IdentityEndTests {
    private var rig = PollRig(TestTokens.configuration)
    /// A token that shows its user for 65 seconds: a minute more than it says, as clocks differ.
    private static let brief = TestTokens.token("ada", seconds: 5)

    init() {
        let rules = #"{"rules": {"a": {".read": "auth != null"}}}"#
        let answer = rig.node.curl(
            "/.settings/rules.json?auth=alpha-secret", "PUT", body: rules)
        #expect(answer.status == 200)
        write(1)
    }

    /// An administrator changes what the client listens to.
    private mutating func write(_ number: Int) {
        #expect(rig.node.curl("/a.json?auth=alpha-secret", "PUT", body: "\(number)").status == 200)
    }

    @Test mutating func `keys that one copy of a gateway trusts are not trusted by another`() {
        var copy = rig.node
        copy.turn([.trusts(TestTokens.trustOfOther)])
        let target = "/a.json?auth=" + TestTokens.token("ada")
        let client = copy.connect()
        copy.send(TestGateway.request(target), by: client)
        copy.wait(200)
        #expect(copy.answers(client).map(\.status) == [401])
        #expect(rig.node.curl(target).status == 200)
    }

    // MARK: A stream of events

    @Test mutating func `a stream whose token has expired`() {
        let id = rig.node.connect()
        let target = "/a.json?auth=" + Self.brief
        rig.node.send(
            TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: id)
        #expect(rig.node.text(id).contains(#"{"path":"/","data":1}"#))
        rig.node.wait(64_000)
        write(2)
        #expect(rig.node.text(id).contains(#"{"path":"/","data":2}"#))
        rig.node.wait(1_500)
        #expect(rig.node.text(id).contains("event: auth_revoked"))
        write(3)
        #expect(rig.node.read(id).isEmpty && rig.node.closed.contains(id))
    }

    @Test mutating func `a stream after the removal of its token's key`() {
        let id = rig.node.connect()
        let target = "/a.json?auth=" + TestTokens.token("ada")
        rig.node.send(
            TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: id)
        rig.node.turn([.trusts(TestTokens.trustOfBoth)])
        write(2)
        #expect(rig.node.text(id).contains(#"{"path":"/","data":2}"#))
        rig.node.turn([.trusts(TestTokens.trustOfOther)])
        #expect(rig.node.text(id).contains("event: auth_revoked"))
        write(3)
        #expect(rig.node.read(id).isEmpty && rig.node.closed.contains(id))
    }

    @Test mutating func `a stream whose token loses its key before its first event shows nothing`()
    {
        let id = rig.node.connect()
        let target = "/a.json?auth=" + TestTokens.token("ada")
        let request = TestGateway.request(target, "GET", ["Accept: text/event-stream"])
        rig.node.turn([.received(id, Array(request.utf8)), .trusts(TestTokens.trustOfOther)])
        let text = rig.node.text(id)
        #expect(text.contains("event: auth_revoked") && !text.contains(#""data":1"#))
        #expect(rig.node.closed.contains(id))
    }

    // MARK: A WebSocket of Firebase's protocol

    /// A client that listens, and shows a token if there is one.
    private mutating func realtimeListener(showing token: String) -> SessionID {
        let id = rig.connect("ns=x")
        rig.send(PollRig.request(1, "auth", #"{"cred":"\#(token)"}"#), on: id)
        rig.send(PollRig.listen, on: id)
        #expect(rig.texts(id).contains(RealtimeRig.push("d", "a", "1")))
        return id
    }

    private static let expiry =
        #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#
    private static let cancellation = #"{"t":"d","d":{"a":"c","b":{"p":"a"}}}"#

    @Test mutating func `a WebSocket whose token has expired`() {
        let id = realtimeListener(showing: Self.brief)
        rig.node.wait(64_000)
        write(2)
        #expect(rig.texts(id) == [RealtimeRig.push("d", "a", "2")])
        rig.node.wait(1_500)
        #expect(rig.texts(id) == [Self.expiry, Self.cancellation])
        write(3)
        #expect(rig.texts(id).isEmpty)
    }

    @Test mutating func `a WebSocket after the removal of its token's key`() {
        let id = realtimeListener(showing: TestTokens.token("ada"))
        let administrator = realtimeListener(showing: "alpha-secret")
        rig.node.turn([.trusts(TestTokens.trustOfBoth)])
        write(2)
        #expect(rig.texts(id) == [RealtimeRig.push("d", "a", "2")])
        _ = rig.texts(administrator)
        rig.node.turn([.trusts(TestTokens.trustOfOther)])
        #expect(rig.texts(id) == [Self.expiry, Self.cancellation])
        write(3)
        #expect(rig.texts(id).isEmpty)
        // Secrets of the cluster are no tokens.
        #expect(rig.texts(administrator) == [RealtimeRig.push("d", "a", "3")])
    }

    @Test mutating func `a polling client after the removal of its token's key`() {
        var client = rig.start()
        let token = TestTokens.token("ada")
        _ = rig.upload(PollRig.request(1, "auth", #"{"cred":"\#(token)"}"#), by: &client)
        _ = rig.upload(PollRig.listen, by: &client)
        let poll = rig.poll(client)
        rig.node.turn([.trusts(TestTokens.trustOfBoth)])
        _ = rig.script(poll)
        let held = rig.poll(client)
        rig.node.turn([.trusts(TestTokens.trustOfOther)])
        #expect(rig.script(held)?.contains("expired_token") == true)
        write(2)
        let rest = rig.script(rig.poll(client)) ?? ""
        #expect(!rest.contains(#""a":"d""#))
    }

    @Test(arguments: [("unauth", "{}"), ("auth", #"{"cred":"x"}"#)])
    mutating func `a WebSocket that signs out, or shows a wrong credential`(
        action: String, body: String
    ) {
        let id = realtimeListener(showing: TestTokens.token("ada"))
        rig.send(PollRig.request(2, action, body), on: id)
        #expect(rig.texts(id).contains(Self.cancellation))
        write(2)
        #expect(!rig.texts(id).contains { $0.contains(#""a":"d""#) })
    }

    // MARK: A native client

    /// A client that listens and has shown a token.
    private mutating func nativeListener(showing token: String) -> SessionID {
        let id = rig.node.connect()
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: hearth.1",
        ]
        rig.node.send(TestGateway.request("/.hearth?auth=" + token, "GET", upgrade), by: id)
        rig.node.ask(.listen(id: 1, path: Path([Key(unchecked: "a")])), by: id)
        #expect(rig.node.messages(id) == [.ok(id: 1), Self.change(1)])
        return id
    }

    private static func change(_ number: Int64) -> NodeMessage {
        .change(listen: 1, writes: [Write(path: .root, value: .integer(number))])
    }

    private static func isDenial(_ messages: [NodeMessage]) -> Bool {
        if messages.count == 1, case .ended(1, .permissionDenied, _, _) = messages[0] {
            return true
        }
        return false
    }

    @Test mutating func `a native client whose token has expired`() {
        let id = nativeListener(showing: Self.brief)
        rig.node.wait(64_000)
        write(2)
        #expect(rig.node.messages(id) == [Self.change(2)])
        rig.node.wait(1_500)
        #expect(Self.isDenial(rig.node.messages(id)))
        write(3)
        #expect(rig.node.messages(id).isEmpty)
    }

    @Test mutating func `a native client after the removal of its token's key`() {
        let id = nativeListener(showing: TestTokens.token("ada"))
        rig.node.turn([.trusts(TestTokens.trustOfBoth)])
        write(2)
        #expect(rig.node.messages(id) == [Self.change(2)])
        rig.node.turn([.trusts(TestTokens.trustOfOther)])
        #expect(Self.isDenial(rig.node.messages(id)))
        write(3)
        #expect(rig.node.messages(id).isEmpty)
    }

    @Test mutating func `a native client that signs out`() {
        let id = nativeListener(showing: TestTokens.token("ada"))
        rig.node.turn([.credential(id, CredentialMessage.none.bytes)])
        #expect(Self.isDenial(rig.node.messages(id)))
        write(2)
        #expect(rig.node.messages(id).isEmpty)
    }
}

import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// Wrong credentials in sessions of Firebase's protocol, at a gateway: their refusals wait, whatever carries the session.
@Suite struct DelayedRefusalTests {
    private var rig = PollRig(TestSecrets.configuration)

    private static let wrong = PollRig.request(1, "auth", #"{"cred":"alpha-secreT"}"#)
    private static let right = PollRig.request(2, "auth", #"{"cred":"alpha-secret"}"#)
    private static let put = PollRig.request(3, "p", #"{"p":"/a","d":1}"#)
    private static let refusal = RealtimeRig.answer(
        1, "invalid_token", #""Could not parse auth token.""#)
    private static let denial = RealtimeRig.answer(
        3, "permission_denied", #""Permission denied""#)

    @Test mutating func `a WebSocket opens without a secret, and is refused 100 ms later`() {
        let socket = rig.connect("ns=x")
        #expect(rig.texts(socket).count == 1)
        rig.send(Self.put, on: socket)
        #expect(rig.texts(socket) == [Self.denial])
        rig.send(Self.wrong, on: socket)
        rig.node.wait(99)
        #expect(rig.texts(socket).isEmpty)
        rig.node.wait(1)
        #expect(rig.texts(socket) == [Self.refusal])
        #expect(rig.node.value.isNull)
        rig.send(Self.right, on: socket)
        rig.send(Self.put, on: socket)
        #expect(rig.texts(socket).count == 2)
        #expect(rig.node.value == json(#"{"a":1}"#))
    }

    @Test mutating func `a session that polls is refused 100 ms later`() {
        var client = rig.start()
        #expect(rig.script(rig.upload(Self.put, by: &client))?.contains(Self.denial) == true)
        let poll = rig.upload(Self.wrong, by: &client)
        rig.node.wait(99)
        #expect(rig.script(poll) == nil)
        rig.node.wait(1)
        #expect(rig.script(poll)?.contains(Self.refusal) == true)
        #expect(rig.node.value.isNull)
        _ = rig.upload(Self.right, by: &client)
        _ = rig.upload(Self.put, by: &client)
        #expect(rig.node.value == json(#"{"a":1}"#))
    }

    @Test mutating func `a session that has changed to a WebSocket gets the refusal there`() {
        var client = rig.start()
        let socket = rig.connect("s=\(client.name)")
        let poll = rig.upload(Self.wrong, by: &client)
        rig.send(#"{"t":"c","d":{"t":"a","d":{}}}"#, on: socket)
        _ = rig.upload(#"{"t":"c","d":{"t":"n","d":{}}}"#, by: &client)
        _ = (rig.script(poll), rig.texts(socket))
        rig.node.wait(100)
        #expect(rig.texts(socket) == [Self.refusal])
        rig.send(Self.put, on: socket)
        #expect(rig.texts(socket) == [Self.denial])
    }

    /// Whether the replica has one listen.
    private mutating func listens() -> Bool {
        rig.node.curl("/metrics?auth=alpha-secret").body.contains("hearth_listens 1\n")
    }

    @Test mutating func `the replica forgets the listens of a client that signs out`() {
        let socket = rig.connect("ns=x")
        rig.send(Self.right, on: socket)
        rig.send(PollRig.request(3, "q", #"{"p":"/a","h":""}"#), on: socket)
        #expect(listens())
        rig.send(PollRig.request(4, "unauth", "{}"), on: socket)
        #expect(!listens())
    }

    @Test mutating func `a connection that ends earlier receives nothing`() {
        let socket = rig.connect("ns=x")
        rig.send(Self.wrong, on: socket)
        _ = rig.texts(socket)
        rig.node.turn([.closed(socket)])
        rig.node.wait(100)
        #expect(rig.node.read(socket).isEmpty)
    }
}

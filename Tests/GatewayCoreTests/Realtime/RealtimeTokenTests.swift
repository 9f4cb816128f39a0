import DataTree
import Rules
import SyncProtocol
import Testing
import Tokens

@testable import GatewayCore

/// The identity of a client of Firebase's protocol that sends tokens.
@Suite struct RealtimeTokenTests {
    private var rig = RealtimeRig()
    private let id = SessionID(number: 1)

    init() {
        rig.authentication = Authentication(TestTokens.configuration)
        _ = rig.connect()
    }

    private static let ada = TestTokens.token("ada")

    private mutating func show(_ number: Int, _ body: String) -> [String] {
        rig.request(number, "auth", body)
    }

    @Test mutating func `a token is answered by auth and its end`() {
        let auth = TestTokens.claims("ada").json
        #expect(
            show(1, #"{"cred":"\#(Self.ada)"}"#) == [
                RealtimeRig.answer(
                    1, "ok", #"{"auth":{"token":\#(auth),"uid":"ada"},"expires":1700003600}"#)
            ])
        #expect(rig.identities[id] == [TestTokens.user("ada")])
    }

    @Test mutating func `requests after a credential are executed as its user`() {
        let messages = [
            RealtimeRig.request(1, "p", #"{"p":"/a","d":1}"#),
            RealtimeRig.request(2, "auth", #"{"cred":"\#(Self.ada)"}"#),
            RealtimeRig.request(3, "auth", #"{"cred":"\#(Self.ada)"}"#),
            RealtimeRig.request(4, "gauth", #"{"cred":"alpha-secret"}"#),
            RealtimeRig.request(5, "gauth", #"{"cred":"alpha-secret","noauth":true}"#),
            RealtimeRig.request(6, "gauth", #"{"cred":"alpha-secret","authvar":{"uid":"eve"}}"#),
            RealtimeRig.request(7, "unauth", "{}"),
        ]
        #expect(rig.send(messages.map { Array($0.utf8) }).count == 7)
        #expect(
            rig.identities[id] == [
                TestTokens.user("ada"), TestSecrets.alpha, .override(.null),
                .override(.user("eve")),
                .anonymous,
            ])
    }

    private static let refused: [(body: String, status: String, text: String)] = [
        (#"{"cred":"x"}"#, "invalid_token", "Could not parse auth token."),
        (
            #"{"cred":"eyJhbGciOiJub25lIn0.e30."}"#, "invalid_token",
            "Unsupported jwt algorithm: none"
        ),
        (
            #"{"cred":"\#(TestTokens.token("ada", seconds: -60))"}"#, "expired_token",
            "Auth token is expired"
        ),
        (#"{"cred":"\#(ada)","noauth":true}"#, "permission_denied", "Permission denied"),
        (#"{"cred":"\#(ada)","authvar":{}}"#, "permission_denied", "Permission denied"),
    ]

    @Test(arguments: RealtimeTokenTests.refused)
    mutating func `an invalid credential signs out at once, and is refused after a delay`(
        body: String, status: String, text: String
    ) {
        _ = show(1, #"{"cred":"\#(Self.ada)"}"#)
        #expect(show(2, body).isEmpty)
        #expect(rig.identities[id] == [TestTokens.user("ada"), .anonymous])
        #expect(rig.refuse() == [RealtimeRig.answer(2, status, "\"\(text)\"")])
    }

    @Test mutating func `a token that expires signs out, once`() {
        let token = TestTokens.token("ada", seconds: 5)
        _ = show(1, #"{"cred":"\#(token)"}"#)
        #expect(rig.wait(64_900).isEmpty)
        #expect(
            rig.wait(200) == [
                #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#
            ])
        #expect(rig.identities[id] == [TestTokens.user("ada", seconds: 5), .anonymous])
        #expect(rig.wait(1_000).isEmpty)
    }

    @Test mutating func `a request behind the end of a token is not done as its user`() {
        let token = TestTokens.token("ada", seconds: 5)
        _ = show(1, #"{"cred":"\#(token)"}"#)
        let put = RealtimeRig.request(2, "p", #"{"p":"/a","d":1}"#)
        let answers = rig.send(put, after: 65_100)
        #expect(answers.first?.contains("expired_token") == true)
        #expect(rig.identities[id]?.last == .anonymous)
    }

    @Test mutating func `a new token of the same user continues the session`() {
        _ = show(1, #"{"cred":"\#(TestTokens.token("ada", seconds: 5))"}"#)
        _ = show(2, #"{"cred":"\#(TestTokens.token("ada", seconds: 500))"}"#)
        #expect(rig.wait(70_000).isEmpty)
    }

    @Test mutating func `a listen that the replica ends is cancelled, and shows nothing more`() {
        _ = rig.request(1, "q", #"{"p":"/a/b","h":""}"#)
        let end = NodeMessage.ended(listen: 1, code: .invalid, problem: "p", fix: "f")
        #expect(rig.answer(end) == [#"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#])
        #expect(rig.answer(end).isEmpty)
        _ = rig.request(2, "p", #"{"p":"/a/b","d":1}"#)
        #expect(rig.request(3, "n", #"{"p":"/a/b"}"#).first?.contains("no such listen") == true)
    }

    @Test
    mutating func
        `the replica learns the identity of a polling client that changes to a WebSocket`()
    {
        var rig = PollRig(TestTokens.configuration)
        rig.node.client = .administrator(name: nil)
        var client = rig.start()
        let session = SessionID(number: rig.node.identities.keys.map(\.number).max() ?? 0)
        #expect(rig.node.identities[session] == [.anonymous])
        _ = rig.upload(PollRig.request(1, "auth", #"{"cred":"\#(Self.ada)"}"#), by: &client)
        #expect(rig.node.identities[session] == [.anonymous, TestTokens.user("ada")])
        let socket = rig.connect("s=\(client.name)")
        rig.send(#"{"t":"c","d":{"t":"a","d":{}}}"#, on: socket)
        _ = rig.upload(#"{"t":"c","d":{"t":"n","d":{}}}"#, by: &client)
        rig.send(PollRig.request(2, "p", #"{"p":"/a","d":1}"#), on: socket)
        #expect(rig.node.identities[session] == [.anonymous, TestTokens.user("ada")])
        rig.send(PollRig.request(3, "unauth", "{}"), on: socket)
        #expect(rig.node.identities[session]?.last == .anonymous)
        #expect(rig.node.value == json(#"{"a":1}"#))
    }
}

import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// The requests that a client of Firebase's protocol may make at a node with secrets.
@Suite struct RealtimeAccessTests {
    private var rig = RealtimeRig()

    init() {
        rig.authentication = Authentication(TestSecrets.configuration)
        _ = rig.connect()
        _ = rig.connect(2)
        // The second client may do everything.
        _ = rig.request(1, "gauth", #"{"cred":"beta-secret"}"#, by: 2)
    }

    private static func denial(_ number: Int) -> String {
        RealtimeRig.answer(number, "permission_denied", #""Permission denied""#)
    }

    private static let accepted = #"{"auth":null}"#

    @Test(arguments: [
        ("q", #"{"p":"/a","h":""}"#), ("l", #"{"p":"/a","h":""}"#), ("g", #"{"p":"/a","q":{}}"#),
        ("p", #"{"p":"/a","d":1}"#), ("p", #"{"p":"/a","d":1,"h":""}"#),
        ("m", #"{"p":"/a","d":{"b":1}}"#), ("o", #"{"p":"/a","d":1}"#),
        ("om", #"{"p":"/a","d":{"b":1}}"#), ("oc", #"{"p":"/a","d":null}"#),
        ("q", #"{"p":"/a","h":"","q":{"l":2,"vf":"l","i":".key"},"t":1}"#),
    ])
    mutating func `nothing is read or written before`(action: String, body: String) {
        #expect(rig.request(1, action, body) == [Self.denial(1)])
        _ = rig.request(9, "p", #"{"p":"/a","d":5}"#, by: 2)
        #expect(rig.turn() == [:])
        rig.turn { $0.step(.closed(SessionID(number: 1))) }
        #expect(rig.replica.value == json(#"{"a":5}"#))
        // It may be done once the secret is shown.
        _ = rig.connect(3)
        _ = rig.request(1, "auth", #"{"cred":"alpha-secret"}"#, by: 3)
        #expect(rig.request(2, action, body, by: 3).last != Self.denial(2))
    }

    @Test(arguments: ["auth", "gauth"])
    mutating func `a secret makes an administrator`(action: String) {
        #expect(
            rig.request(1, action, #"{"cred":"alpha-secret"}"#)
                == [RealtimeRig.answer(1, "ok", Self.accepted)])
        #expect(rig.request(2, "p", #"{"p":"/a","d":1}"#) == [RealtimeRig.answer(2)])
        #expect(rig.delayed.isEmpty)
    }

    @Test(arguments: [
        #"{"cred":"alpha-secreT"}"#, #"{"cred":"owner"}"#, #"{"cred":""}"#, "{}", #"{"cred":7}"#,
    ])
    mutating func `a wrong credential is refused after a delay, and requests meanwhile are denied`(
        body: String
    ) {
        #expect(rig.request(1, "auth", body).isEmpty)
        #expect(rig.delayed == [SessionID(number: 1)])
        #expect(rig.request(2, "g", #"{"p":"/a","q":{}}"#) == [Self.denial(2)])
        #expect(
            rig.refuse()
                == [RealtimeRig.answer(1, "invalid_token", #""Could not parse auth token.""#)])
        #expect(rig.refuse().isEmpty)
    }

    @Test mutating func `a wrong credential ends the previous identity`() {
        _ = rig.request(1, "auth", #"{"cred":"alpha-secret"}"#)
        _ = rig.request(2, "auth", #"{"cred":"x"}"#)
        #expect(rig.request(3, "p", #"{"p":"/a","d":1}"#) == [Self.denial(3)])
    }

    @Test(arguments: [
        (#"{"cred":"alpha-secret","authvar":{"uid":"u1"}}"#, #"{"auth":{"uid":"u1"}}"#),
        (#"{"cred":"alpha-secret","noauth":true}"#, RealtimeAccessTests.accepted),
    ])
    mutating func `an administrator who acts as some user may do nothing`(
        body: String, answer: String
    ) {
        _ = rig.request(1, "gauth", #"{"cred":"alpha-secret"}"#)
        #expect(rig.request(2, "gauth", body) == [RealtimeRig.answer(2, "ok", answer)])
        #expect(rig.request(3, "p", #"{"p":"/a","d":1}"#) == [Self.denial(3)])
    }

    @Test mutating func `a client that tries too many credentials at once is disconnected`() {
        for number in 1...17 {
            _ = rig.request(number, "auth", #"{"cred":"x"}"#)
            #expect((rig.closed[SessionID(number: 1)] == 1_008) == (number == 17))
        }
        #expect(rig.refuse().isEmpty)
    }

    @Test mutating func `signing out ends listens and on-disconnect writes`() {
        _ = rig.request(1, "auth", #"{"cred":"alpha-secret"}"#)
        _ = rig.request(2, "q", #"{"p":"/a/b","h":""}"#)
        _ = rig.request(3, "q", #"{"p":"/c","h":"","q":{"l":2,"vf":"r","i":".key"},"t":1}"#)
        _ = rig.request(4, "o", #"{"p":"/gone","d":true}"#)
        #expect(
            rig.request(5, "unauth", "{}") == [
                #"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#,
                #"{"t":"d","d":{"a":"c","b":{"p":"c","q":[{"l":2,"vf":"r","i":".key"}]}}}"#,
                RealtimeRig.answer(5, "ok", #""unauthenticated""#),
            ])
        let shown = rig.turn { rig in
            let write = RealtimeRig.request(9, "p", #"{"p":"/a/b","d":5}"#)
            rig.receive(Array(write.utf8), of: SessionID(number: 2))
        }
        #expect(shown[SessionID(number: 1)] == nil)
        #expect(rig.request(6, "g", #"{"p":"/a","q":{}}"#) == [Self.denial(6)])
        rig.turn { $0.step(.closed(SessionID(number: 1))) }
        #expect(rig.replica.value == json(#"{"a":{"b":5}}"#))
    }

    @Test mutating func `a listen that has no answer yet is denied when its client signs out`() {
        _ = rig.request(1, "auth", #"{"cred":"alpha-secret"}"#)
        let answers = rig.send(
            RealtimeRig.request(2, "q", #"{"p":"/a","h":"x"}"#),
            RealtimeRig.request(3, "unauth", "{}"))
        #expect(answers.contains(RealtimeRig.answer(3, "ok", #""unauthenticated""#)))
        #expect(answers.filter { $0.contains(#""r":2,"#) } == [Self.denial(2)])
        #expect(rig.request(4, "n", #"{"p":"/a"}"#).first?.contains("no such listen") == true)
    }

    @Test mutating func `without secrets, every client may do everything`() {
        rig.authentication = Authentication()
        _ = rig.connect(3)
        #expect(rig.request(1, "p", #"{"p":"/a","d":1}"#, by: 3) == [RealtimeRig.answer(1)])
        #expect(
            rig.request(2, "auth", #"{"cred":"x"}"#, by: 3)
                == [RealtimeRig.answer(2, "ok", Self.accepted)])
        _ = rig.request(3, "unauth", "{}", by: 3)
        #expect(rig.request(4, "p", #"{"p":"/a","d":2}"#, by: 3) == [RealtimeRig.answer(4)])
    }
}

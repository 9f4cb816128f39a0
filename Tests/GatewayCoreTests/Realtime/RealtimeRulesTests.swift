import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// Rules in Firebase's protocol.
@Suite struct RealtimeRulesTests {
    private var rig = RealtimeRig()
    private static let denied = #""Permission denied""#

    init() {
        _ = rig.connect()
        _ = rig.connect(2)
        identify(.anonymous)
        set(#"{"z": {".read": true, "w": {".write": true}}, "u": {".read": "auth != null"}}"#)
    }

    private mutating func identify(_ principal: Principal) {
        rig.turn { $0.step(.identified(SessionID(number: 1), principal)) }
    }

    @discardableResult
    private mutating func set(_ rules: String) -> [String] {
        let source = "{\"rules\": \(rules)}"
        return rig.turn {
            $0.step(
                .requestedMessages([.setRules(id: 900, source: source)], by: SessionID(number: 2)))
        }[SessionID(number: 1)] ?? []
    }

    @Test(arguments: [
        ("q", #"{"p":"/a","h":""}"#), ("g", #"{"p":"/a","q":{}}"#), ("p", #"{"p":"/a","d":1}"#),
        ("p", #"{"p":"/a","d":1,"h":""}"#), ("m", #"{"p":"/a","d":{"b":1}}"#),
        ("o", #"{"p":"/a","d":1}"#), ("om", #"{"p":"/a","d":{"b":1}}"#),
    ])
    mutating func `a refusal by rules is answered as by Firebase`(action: String, body: String) {
        #expect(
            rig.request(1, action, body)
                == [RealtimeRig.answer(1, "permission_denied", Self.denied)])
    }

    @Test mutating func `permitted requests are executed`() {
        #expect(rig.request(1, "p", #"{"p":"/z/w","d":1}"#) == [RealtimeRig.answer(1)])
        #expect(rig.request(2, "g", #"{"p":"/z/w","q":{}}"#).first?.contains(#""d":1"#) == true)
    }

    @Test
    mutating func
        `whoever learns reasons is sent them ahead of a refusal and of the end of a listen`()
    {
        let denial = RealtimeRig.answer(1, "permission_denied", Self.denied)
        #expect(rig.request(1, "g", #"{"p":"/u","q":{}}"#) == [denial])
        identify(.override(.null))
        let reasons =
            #"no .read holds at or above /u\n.read of /u, line 1, at /u: auth != null is false, as auth is null"#
        let explanation = #"{"t":"d","d":{"a":"sd","b":{"msg":"\#(reasons)"}}}"#
        #expect(rig.request(1, "g", #"{"p":"/u","q":{}}"#) == [explanation, denial])
        _ = rig.request(2, "q", #"{"p":"/z","h":""}"#)
        let told = set("{}")
        #expect(told.last == #"{"t":"d","d":{"a":"c","b":{"p":"z"}}}"# && told.count == 2)
        #expect(told.first?.contains(#""a":"sd""#) == true)
    }

    @Test mutating func `50: a listen that new rules refuse ends with c`() {
        _ = rig.request(1, "q", #"{"p":"/z","h":""}"#)
        #expect(set("{}") == [#"{"t":"d","d":{"a":"c","b":{"p":"z"}}}"#])
        #expect(rig.request(2, "p", #"{"p":"/z","d":1}"#, by: 2) == [RealtimeRig.answer(2)])
    }

    @Test(arguments: [true, false])
    func `51: a listen without an index is refused as a read is, where indexes are demanded`(
        areDemanded: Bool
    ) {
        var rig = RealtimeRig(demandingIndexes: areDemanded)
        _ = rig.connect()
        _ = rig.request(1, "p", #"{"p":"/i","d":{"a":{"n":1},"b":{"n":2}}}"#)
        let refusal =
            #""Index not defined, add \".indexOn\": \"n\", for path \"/i\", to the rules""#
        let listen = rig.request(2, "q", #"{"p":"/i","h":"","q":{"l":1,"vf":"r","i":"n"},"t":1}"#)
        let served = [
            RealtimeRig.push("d", "i", #"{"b":{"n":2}}"#, tag: 1),
            RealtimeRig.answer(2, "ok", "{}"),
        ]
        #expect(listen == (areDemanded ? [RealtimeRig.answer(2, "failure", refusal)] : served))
        // The next answer is that to another request.
        #expect(
            rig.request(3, "q", #"{"p":"/i/a","h":""}"#).last == RealtimeRig.answer(3, "ok", "{}"))
        let read = rig.request(4, "g", #"{"p":"/i","q":{"l":1,"vf":"r","i":"n"}}"#)
        #expect((read == [RealtimeRig.answer(4, "failure", refusal)]) == areDemanded)
    }

    @Test mutating func `49: a listen ends with c as its client is signed out`() {
        identify(.user(.user("u1")))
        _ = rig.request(1, "q", #"{"p":"/u","q":{"l":2,"vf":"l"},"t":1,"h":""}"#)
        let told = rig.turn { $0.step(.identified(SessionID(number: 1), .anonymous)) }
        let query = #"{"t":"d","d":{"a":"c","b":{"p":"u","q":["#
        #expect(told[SessionID(number: 1)]?.count == 1)
        #expect(told[SessionID(number: 1)]?.first?.hasPrefix(query) == true)
    }
}

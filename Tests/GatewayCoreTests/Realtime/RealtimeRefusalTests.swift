import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// Invalid messages of a Firebase session.
@Suite struct RealtimeRefusalTests {
    private typealias Rig = RealtimeRig

    @Test(
        arguments: [
            (#""zz""#, #"{"p":"/a"}"#), (#""p""#, #"{"p":"/a"}"#), (#""p""#, #"{"d":1}"#),
            (#""p""#, #"{"p":"/a","d":{"x#":1}}"#),
            (#""p""#, #"{"p":"/a","d":{".sv":"x"}}"#), (#""p""#, #"{"p":"/a/.priority","d":true}"#),
            (#""p""#, "7"), (#""m""#, #"{"p":"/a","d":[1]}"#), (#""m""#, #"{"p":"/a","d":{"":1}}"#),
            (#""m""#, #"{"p":"/a","d":{"b":1,"b/c":2}}"#),
            (#""q""#, #"{"p":"/a","q":{"l":0,"vf":"l"},"t":1}"#),
            (#""q""#, #"{"p":"/a","q":{"sp":1,"i":".key"},"t":1}"#),
            (#""q""#, #"{"p":"/a/.priority"}"#), ("5", #"{"p":"/a"}"#), ("null", "null"),
        ])
    func `a request that is wrong is answered with its number`(action: String, body: String) {
        var rig = Rig.connected()
        let answers = rig.send(#"{"t":"d","d":{"b":\#(body),"a":\#(action),"r":12}}"#)
        #expect(answers.count == 1)
        #expect(answers[0].hasPrefix(#"{"t":"d","d":{"r":12,"b":{"s":"failure","d":""#))
        #expect(rig.closed.isEmpty)
        #expect(rig.replica.value.isNull)
        #expect(rig.request(13, "p", #"{"p":"/ok","d":1}"#) == [Rig.answer(13)])
    }

    @Test(arguments: [
        ("m", #"{"p":"/.info","d":{"a":1}}"#), ("g", #"{"p":"/a.b","q":{}}"#),
        ("p", #"{"p":"/a.b","d":1}"#), ("q", #"{"p":"/.info/connected","h":""}"#),
        ("n", #"{"p":"/a#"}"#), ("o", #"{"p":"/$a","d":1}"#), ("om", #"{"p":"/[a]","d":{}}"#),
        ("oc", #"{"p":"/.priority/a","d":null}"#),
    ])
    func `a path that is none is refused in Firebase's words`(action: String, body: String) {
        var rig = Rig.connected()
        #expect(
            rig.request(12, action, body)
                == [Rig.answer(12, "invalid_parameters", #""Invalid token in path""#)])
        #expect(rig.closed.isEmpty && rig.replica.value.isNull)
        #expect(rig.request(13, "p", #"{"p":"/ok","d":1}"#) == [Rig.answer(13)])
    }

    @Test func `a listen that the replica refuses leaves nothing behind`() {
        var rig = Rig.connected()
        let first = rig.request(1, "q", #"{"p":"/a/.priority","h":""}"#)
        let second = rig.request(1, "q", #"{"p":"/a/.priority","h":""}"#)
        #expect(first == second && first.count == 1)
        #expect(rig.request(2, "n", #"{"p":"/a/.priority"}"#)[0].contains("no such listen"))
    }

    @Test(
        arguments: [
            (Array("{".utf8), 1_002), (Array("{}x".utf8), 1_002), (Array("nope nope".utf8), 1_002),
            ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 1_002),
        ] as [([UInt8], UInt16)])
    func `a message without JSON and number ends only its session`(text: [UInt8], code: UInt16) {
        var rig = Rig.connected(2)
        #expect(rig.send([text]) == [])
        #expect(rig.closed == [SessionID(number: 1): code])
        #expect(rig.request(1, "s", "{}", by: 2) == [Rig.answer(1)])
        #expect(rig.request(1, "s", "{}", by: 1) == [], "it is over")
    }

    @Test(arguments: [
        ("p", #"{"p":"/x","d":"\ud83d"}"#, "half of a surrogate pair"),
        ("p", #"{"p":"/x","d":{"\ude00":1}}"#, "half of a surrogate pair"),
        ("p", #"{"p":"/x\ud83d","d":1}"#, "half of a surrogate pair"),
        ("m", #"{"p":"/x","d":{"a":"\ud83d"}}"#, "half of a surrogate pair"),
        ("o", #"{"p":"/x","d":"\ud83d\ud83d"}"#, "half of a surrogate pair"),
        ("q", #"{"p":"/x","q":{"i":".value","sp":"\ud83d"},"t":1}"#, "half of a surrogate pair"),
        ("p", #"{"p":"/x","d":1e999}"#, "too large"), ("p", #"{"p":"/x","d":-1e999}"#, "too large"),
        (
            "p",
            #"{"p":"/x","d":"# + String(repeating: "[", count: 36) + "1"
                + String(repeating: "]", count: 36) + "}", "levels deep"
        ),
        (
            "p",
            #"{"p":"/x","d":"# + String(repeating: #"{"r":9,"d":"#, count: 60) + "1"
                + String(repeating: "}", count: 61), "levels deep"
        ),
        ("p", "{\"p\":\"/x\",\"d\":\"\u{1}\"}", "control character"),
    ])
    func `invalid content is refused, and the session continues`(
        action: String, body: String, problem: String
    ) {
        var rig = Rig.connected()
        let told = rig.request(7, action, body)
        #expect(told.count == 1)
        #expect(told[0].hasPrefix(#"{"t":"d","d":{"r":7,"b":{"s":"failure","d":""#), "\(told)")
        #expect(told[0].contains(problem), "\(told)")
        #expect(rig.closed.isEmpty)
        #expect(rig.request(8, "p", #"{"p":"/ok","d":1}"#) == [Rig.answer(8)])
        #expect(rig.replica.value[Key(unchecked: "ok")] == .integer(1))
        #expect(rig.replica.value.children.count == 1)
    }

    @Test func `the reason for a refusal is short, however long the keys are that lead to it`() {
        var rig = Rig.connected()
        let key = String(repeating: "k", count: 1 << 20)
        let told = rig.request(7, "p", #"{"p":"/x","d":{"\#(key)":1e999}}"#)
        #expect(told[0].hasPrefix(#"{"t":"d","d":{"r":7,"b":{"s":"failure","d":"line 1"#))
        #expect(told[0].count < 600)
        _ = rig.send(#"{"\#(key)":1e999}"#)
        #expect(rig.closed == [SessionID(number: 1): 1_002])
    }

    @Test(arguments: ["1", "[]", "{}", #"{"t":"x","d":{}}"#, #"{"t":"d","d":{"a":"q"}}"#])
    func `a message of another kind is ignored`(text: String) {
        var rig = Rig.connected()
        #expect(
            rig.send(text, #"{"t":"d","d":{"r":1,"a":"s","b":{}}}"#) == [Rig.answer(1)]
                || text == "1")
        #expect(rig.closed.isEmpty)
    }
}

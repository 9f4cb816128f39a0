import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

/// A Firebase session by the messages of its WebSocket.
@Suite struct RealtimeSessionTests {
    private typealias Rig = RealtimeRig

    private func connected(_ clients: Int = 1) -> RealtimeRig {
        var rig = RealtimeRig()
        for number in 1...clients { _ = rig.connect(UInt64(number)) }
        return rig
    }

    // MARK: Connection

    @Test func `the server speaks first, with the handshake`() {
        var rig = RealtimeRig()
        #expect(
            rig.connect() == [
                #"{"t":"c","d":{"t":"h","d":{"ts":1700000000001,"v":"5","h":"h:1","s":"00000000000000000000000000000001"}}}"#
            ])
    }

    @Test func `a client that only pings stays`() {
        var rig = connected()
        for _ in 0..<12 {
            let pong = rig.send(#"{"t":"c","d":{"t":"p","d":{}}}"#, after: 50_000)
            #expect(pong == [#"{"t":"c","d":{"t":"o","d":{}}}"#])
            #expect(!rig.isSilent())
        }
    }

    @Test(arguments: ["0", ""])
    func `a sign of life is not answered`(text: String) {
        var rig = connected()
        for _ in 0..<4 {
            rig.turn(after: 99_999)
            #expect(!rig.isSilent())
            #expect(rig.send(text, after: 0) == [])
        }
        rig.turn(after: 100_000)
        #expect(rig.isSilent())
    }

    @Test(
        arguments: [
            ("s", #"{"c":{"sdk.js.9-5-0":1}}"#, #""""#),
            ("auth", #"{"cred":"x"}"#, #"{"auth":null}"#),
            ("gauth", #"{"cred":"owner"}"#, #"{"auth":null}"#),
            ("unauth", "{}", #""unauthenticated""#), ("appcheck", #"{"token":"x"}"#, #""""#),
            ("unappcheck", "{}", #""""#), ("unappeck", "{}", #""""#),
        ])
    func `what is about the client alone is confirmed`(action: String, body: String, data: String) {
        var rig = connected()
        #expect(rig.request(7, action, body) == [Rig.answer(7, "ok", data)])
    }

    @Test func `a node that stops sends its clients to another host`() {
        var rig = connected()
        #expect(rig.stop(redirectingTo: "h2:9") == [#"{"t":"c","d":{"t":"r","d":"h2:9"}}"#])
        #expect(rig.closed == [SessionID(number: 1): 1_001])
        #expect(rig.send("0", #"{"t":"c","d":{"t":"p","d":{}}}"#) == [])
        rig = connected()
        #expect(rig.stop(redirectingTo: nil) == [])
        #expect(rig.closed == [SessionID(number: 1): 1_001])
    }

    // MARK: Listens

    @Test func `a listen gets its data, null as well, and then the ok`() {
        var rig = connected()
        #expect(
            rig.request(1, "q", #"{"p":"/a/b","h":""}"#)
                == [Rig.push("d", "a/b", "null"), Rig.answer(1, "ok", "{}")])
        _ = rig.request(2, "p", #"{"p":"/c","d":{"x":1,".priority":2}}"#)
        #expect(
            rig.request(3, "q", #"{"p":"c"}"#)
                == [Rig.push("d", "c", #"{"x":1,".priority":2}"#), Rig.answer(3, "ok", "{}")])
    }

    @Test func `a client that holds all gets the ok alone, and later changes`() {
        var rig = connected()
        _ = rig.request(1, "p", #"{"p":"/a","d":1}"#)
        #expect(
            rig.request(2, "q", #"{"p":"/a","h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}"#)
                == [Rig.answer(2, "ok", "{}")])
        #expect(
            rig.request(3, "p", #"{"p":"/a","d":2}"#) == [Rig.push("d", "a", "2"), Rig.answer(3)])
    }

    @Test func `a client with a compound hash gets the ranges that differ`() throws {
        var rig = connected()
        let old = try JSONReader().parse(#"{"a":1,"b":2,"c":3}"#)
        let hash = CompoundHash(of: old) { _, _ in true }
        let hashes = hash.hashes.map { #""\#($0)""# }.joined(separator: ",")
        let body =
            #"{"p":"/l","h":"x","t":4,"q":{"l":9,"vf":"l"},"ch":{"hs":[\#(hashes)],"ps":["a","b","c"]}}"#
        _ = rig.request(1, "p", #"{"p":"/l","d":{"a":1,"b":5,"c":3,"d":4}}"#)
        #expect(
            rig.request(2, "q", body) == [
                Rig.push(
                    "rm", "l", #"[{"s":"a","e":"b","m":{"b":5}},{"s":"c","m":{"d":4}}]"#, tag: 4),
                Rig.answer(2, "ok", "{}"),
            ])
        let without = #"{"p":"/l","h":"x","ch":{"hs":["x"],"ps":["a","b"]}}"#
        #expect(rig.request(3, "q", without).count == 2, "ranges that are none are ignored")
    }

    @Test func `the same listen twice, or the end of none, is an error of that request`() {
        var rig = connected()
        _ = rig.request(1, "q", #"{"p":"/a","h":""}"#)
        for (number, action) in [(2, "q"), (3, "n")] {
            let path = action == "q" ? "/a" : "/b"
            let answers = rig.request(number, action, #"{"p":"\#(path)","h":""}"#)
            #expect(answers.count == 1)
            #expect(answers[0].hasPrefix(#"{"t":"d","d":{"r":\#(number),"b":{"s":"failure","d":""#))
        }
        #expect(rig.closed.isEmpty)
        #expect(rig.request(4, "n", #"{"p":"/a"}"#) == [Rig.answer(4)])
        #expect(rig.request(5, "p", #"{"p":"/a","d":1}"#) == [Rig.answer(5)])
        #expect(rig.request(6, "q", #"{"p":"/a"}"#).count == 2)
    }

    @Test func `a listen that ends before its answer is answered all the same`() {
        var rig = connected()
        let answers = rig.send(
            Rig.request(1, "q", #"{"p":"/a","h":""}"#), Rig.request(2, "n", #"{"p":"/a"}"#))
        #expect(answers == [Rig.answer(1, "ok", "{}"), Rig.answer(2)])
    }

    @Test func `what a query is sent has its tag, and a moved window is one message`() {
        var rig = connected()
        _ = rig.request(1, "p", #"{"p":"/l","d":{"a":{"n":1},"b":{"n":2},"c":{"n":3}}}"#)
        #expect(
            rig.request(2, "q", #"{"p":"/l","q":{"l":2,"vf":"r","i":"n"},"t":1,"h":""}"#) == [
                Rig.push("d", "l", #"{"b":{"n":2},"c":{"n":3}}"#, tag: 1),
                Rig.answer(2, "ok", "{}"),
            ])
        #expect(
            rig.request(3, "p", #"{"p":"/l/d","d":{"n":4}}"#)
                == [Rig.push("m", "l", #"{"b":null,"d":{"n":4}}"#, tag: 1), Rig.answer(3)])
        #expect(
            rig.request(4, "p", #"{"p":"/l/d/t","d":"x"}"#)
                == [Rig.push("d", "l/d/t", #""x""#, tag: 1), Rig.answer(4)])
        let end = #"{"p":"/l","q":{"i":"n","vf":"r","l":2},"t":1}"#
        #expect(rig.request(5, "n", end) == [Rig.answer(5)])
        #expect(rig.request(6, "p", #"{"p":"/l/e","d":{"n":5}}"#) == [Rig.answer(6)])
    }

    @Test(
        arguments: [
            (#"{"l":2,"vf":"r","i":"n"}"#, "yz"), (#"{"l":1,"vf":"l","i":".value"}"#, "v"),
            (#"{"l":1,"vf":"r"}"#, "z"),
            (#"{"sp":"w","sin":true,"ep":"w","ein":true,"i":".key"}"#, "w"),
            (#"{"sp":"w","sin":false,"i":".key"}"#, "xyz"),
            (#"{"sp":"x","sin":true,"l":1,"vf":"l","i":".key"}"#, "x"),
            (#"{"sp":2,"sn":"x","sin":true,"i":"n"}"#, "xyz"),
            (
                #"{"sp":1,"sn":"[MAX_NAME]","sin":false,"ep":9,"en":"[MIN_NAME]","ein":false,"i":"n"}"#,
                "x"
            ),
            (#"{"sp":9,"ep":9,"i":"n"}"#, "yz"),
            (#"{"sp":null,"sin":true,"ep":null,"ein":true,"i":"n"}"#, "v"), ("{}", "vwxyz"),
        ])
    func `queries are read as clients write them`(query: String, keys: String) throws {
        var rig = connected()
        let list = #"{"v":0,"w":{"n":1},"x":{"n":2},"y":{"n":9},"z":{"n":9}}"#
        _ = rig.request(1, "p", #"{"p":"/l","d":\#(list)}"#)
        let answer = try #require(rig.request(2, "g", #"{"p":"/l","q":\#(query)}"#).first)
        let shown = try JSONReader().parse(answer)[try Path("d/b/d")]
        #expect(shown.children.keys.map(\.text).joined() == keys)
    }

    @Test func `of one put each listen is told once`() {
        var rig = connected()
        _ = rig.request(1, "p", #"{"p":"/q","d":{"a":1,"b":2,"c":3}}"#)
        let low = #"{"l":2,"vf":"l","i":".key"}"#
        let high = #"{"l":2,"vf":"r","i":".key"}"#
        _ = rig.request(2, "q", #"{"p":"/q","q":\#(low),"t":1,"h":""}"#)
        _ = rig.request(3, "q", #"{"p":"/q","q":\#(high),"t":2,"h":""}"#)
        _ = rig.request(4, "q", #"{"p":"/q/b","h":""}"#)
        let told = rig.request(5, "p", #"{"p":"/q/b","d":7}"#)
        #expect(
            told.dropLast().sorted()
                == [
                    Rig.push("d", "q/b", "7"), Rig.push("d", "q/b", "7", tag: 1),
                    Rig.push("d", "q/b", "7", tag: 2),
                ].sorted())
        #expect(told.last == Rig.answer(5))
    }

    @Test func `listeners of all sessions get one change, each with its own tag`() {
        var rig = connected(3)
        let query = #""q":{"l":5,"vf":"l"}"#
        _ = rig.request(1, "q", #"{"p":"/l",\#(query),"t":1,"h":""}"#, by: 1)
        _ = rig.request(1, "q", #"{"p":"/l",\#(query),"t":9,"h":""}"#, by: 2)
        _ = rig.request(1, "q", #"{"p":"/l","h":""}"#, by: 3)
        let put = Rig.request(2, "m", #"{"p":"/l","d":{"a/b":1,"c":2}}"#)
        let told = rig.turn { rig in rig.receiving(put, by: 3) }
        let data = #"{"a":{"b":1},"c":2}"#
        #expect(told[SessionID(number: 1)] == [Rig.push("m", "l", data, tag: 1)])
        #expect(told[SessionID(number: 2)] == [Rig.push("m", "l", data, tag: 9)])
        #expect(told[SessionID(number: 3)] == [Rig.push("d", "l", data), Rig.answer(2)])
    }

    // MARK: Writes and reads

    @Test func `an own write comes as data before its ok`() {
        var rig = connected()
        _ = rig.request(1, "q", #"{"p":"/a","h":""}"#)
        #expect(
            rig.request(2, "p", #"{"p":"/a/b","d":{"c":1}}"#)
                == [Rig.push("d", "a", #"{"b":{"c":1}}"#), Rig.answer(2)])
        #expect(
            rig.request(3, "p", #"{"p":"/a/b/c","d":null}"#)
                == [Rig.push("d", "a", "null"), Rig.answer(3)])
        #expect(
            rig.request(4, "p", #"{"p":"a","d":{"t":{".sv":"timestamp"}}}"#)
                == [Rig.push("d", "a", #"{"t":1700000000005}"#), Rig.answer(4)])
        #expect(
            rig.request(5, "p", #"{"p":"/a/.priority","d":3}"#)
                == [Rig.push("d", "a/.priority", "3"), Rig.answer(5)])
    }

    @Test func `while a client reads slowly, its answers wait with the data`() {
        var rig = connected()
        _ = rig.request(1, "q", #"{"p":"/a","h":""}"#)
        rig.turn { $0.step(.backpressured(SessionID(number: 1))) }
        #expect(rig.request(2, "p", #"{"p":"/a","d":1}"#) == [])
        #expect(rig.request(3, "p", #"{"p":"/a","d":2}"#) == [])
        #expect(rig.request(4, "g", #"{"p":"/a","q":{}}"#) == [])
        let told = rig.turn { $0.step(.writable(SessionID(number: 1))) }
        #expect(
            told[SessionID(number: 1)] == [
                Rig.push("d", "a", "2"), Rig.answer(2), Rig.answer(3), Rig.answer(4, "ok", "2"),
            ])
    }

    @Test func `a listen that begins while its client reads slowly gets its ok last`() {
        var rig = connected()
        rig.turn { $0.step(.backpressured(SessionID(number: 1))) }
        #expect(rig.request(1, "q", #"{"p":"/a","h":""}"#) == [])
        let told = rig.turn { $0.step(.writable(SessionID(number: 1))) }
        #expect(
            told[SessionID(number: 1)]
                == [Rig.push("d", "a", "null"), Rig.answer(1, "ok", "{}")])
    }

    @Test func `a put on other data than the client has seen is refused behind that data`() {
        var rig = connected()
        #expect(rig.request(1, "p", #"{"p":"/c","d":1,"h":""}"#) == [Rig.answer(1)])
        let stale = Rig.answer(3, "datastale", #""Transaction hash does not match""#)
        #expect(
            rig.send(
                Rig.request(2, "q", #"{"p":"/c","h":""}"#),
                Rig.request(3, "p", #"{"p":"/c","d":1,"h":""}"#))
                == [Rig.push("d", "c", "1"), Rig.answer(2, "ok", "{}"), stale])
        #expect(
            rig.request(4, "p", #"{"p":"/c","d":2,"h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}"#)
                == [Rig.push("d", "c", "2"), Rig.answer(4)])
    }

    @Test func `a put whose outcome is unknown is not answered, and its connection ends`() {
        var rig = connected()
        let unknown = NodeMessage.error(id: 1, code: .undecided, problem: "p", fix: "f")
        #expect(rig.answer(unknown) == [])
        #expect(rig.closed == [SessionID(number: 1): 1_011])
    }

    @Test func `a put with a hash waits without a limit once a coordinator may have it`() throws {
        let text = Array(Rig.request(1, "p", #"{"p":"/c","d":1,"h":""}"#).utf8)
        let message = try RealtimeMessage(text, by: RealtimeSession.makeReader())
        guard case .request(let request) = message, case .other(.put(let put)) = request.action
        else {
            Issue.record("\(message) is no put")
            return
        }
        #expect(
            put.condition
                == Condition(
                    DataHash(text: ""), patienceMilliseconds: 10_000, waitsOnceSent: true))
    }

    @Test func `an update of deep keys is one message`() {
        var rig = connected()
        _ = rig.request(1, "p", #"{"p":"/r","d":{"c":1,"x":{"z":1}}}"#)
        _ = rig.request(2, "q", #"{"p":"/r","h":""}"#)
        #expect(
            rig.request(3, "m", #"{"p":"/r","d":{"x/y":1,"c":null,"k":{".sv":{"increment":2}}}}"#)
                == [Rig.push("m", "r", #"{"x/y":1,"c":null,"k":2}"#), Rig.answer(3)])
        #expect(rig.request(4, "m", #"{"p":"/r","d":{}}"#) == [Rig.answer(4)])
    }

    @Test func `a read is answered in the order of writes, null as well`() {
        var rig = connected()
        #expect(
            rig.send(
                Rig.request(1, "g", #"{"p":"/a","q":{}}"#),
                Rig.request(2, "p", #"{"p":"/a","d":{"b":[1,2],".priority":1}}"#),
                Rig.request(3, "g", #"{"p":"/a","q":{}}"#)) == [
                    Rig.answer(1, "ok", "null"), Rig.answer(2),
                    Rig.answer(3, "ok", #"{"b":{"0":1,"1":2},".priority":1}"#),
                ])
    }

    @Test func `what waits for the end of the connection is written then, once`() {
        var rig = connected()
        #expect(
            rig.send(
                Rig.request(1, "o", #"{"p":"/o/a","d":{"x":{".sv":"timestamp"},"y":1}}"#),
                Rig.request(2, "om", #"{"p":"/o","d":{"b/c":1,"d":2}}"#),
                Rig.request(3, "oc", #"{"p":"/o/a/y","d":null}"#),
                Rig.request(4, "oc", #"{"p":"/o/d","d":null}"#)) == (1...4).map { Rig.answer($0) })
        rig.turn(after: 5_000)
        #expect(rig.replica.value.isNull)
        rig.turn { $0.step(.closed(SessionID(number: 1))) }
        let written = JSONWriter.text(of: rig.replica.value)
        #expect(written == #"{"o":{"a":{"x":1700000005003},"b":{"c":1}}}"#)
    }

    // MARK: What is wrong

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
        var rig = connected()
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
        var rig = connected()
        #expect(
            rig.request(12, action, body)
                == [Rig.answer(12, "invalid_parameters", #""Invalid token in path""#)])
        #expect(rig.closed.isEmpty && rig.replica.value.isNull)
        #expect(rig.request(13, "p", #"{"p":"/ok","d":1}"#) == [Rig.answer(13)])
    }

    @Test func `a listen that the replica refuses leaves nothing behind`() {
        var rig = connected()
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
    func `what is no JSON and shows no number ends its session alone`(text: [UInt8], code: UInt16) {
        var rig = connected(2)
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
    func `content that is no data is refused, and the session goes on`(
        action: String, body: String, problem: String
    ) {
        var rig = connected()
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
        var rig = connected()
        let key = String(repeating: "k", count: 1 << 20)
        let told = rig.request(7, "p", #"{"p":"/x","d":{"\#(key)":1e999}}"#)
        #expect(told[0].hasPrefix(#"{"t":"d","d":{"r":7,"b":{"s":"failure","d":"line 1"#))
        #expect(told[0].count < 600)
        _ = rig.send(#"{"\#(key)":1e999}"#)
        #expect(rig.closed == [SessionID(number: 1): 1_002])
    }

    @Test(arguments: ["1", "[]", "{}", #"{"t":"x","d":{}}"#, #"{"t":"d","d":{"a":"q"}}"#])
    func `a message of another kind is ignored`(text: String) {
        var rig = connected()
        #expect(
            rig.send(text, #"{"t":"d","d":{"r":1,"a":"s","b":{}}}"#) == [Rig.answer(1)]
                || text == "1")
        #expect(rig.closed.isEmpty)
    }
}

extension RealtimeRig {
    /// A message in the turn that runs.
    fileprivate mutating func receiving(_ text: String, by number: UInt64) {
        receive(Array(text.utf8), of: SessionID(number: number))
    }
}

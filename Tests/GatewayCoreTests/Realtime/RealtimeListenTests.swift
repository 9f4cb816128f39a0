import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Listens of a Firebase session, by the messages of its WebSocket.
@Suite struct RealtimeListenTests {
    private typealias Rig = RealtimeRig

    @Test func `a listen gets its data, null as well, and then the ok`() {
        var rig = Rig.connected()
        #expect(
            rig.request(1, "q", #"{"p":"/a/b","h":""}"#)
                == [Rig.push("d", "a/b", "null"), Rig.answer(1, "ok", "{}")])
        _ = rig.request(2, "p", #"{"p":"/c","d":{"x":1,".priority":2}}"#)
        #expect(
            rig.request(3, "q", #"{"p":"c"}"#)
                == [Rig.push("d", "c", #"{"x":1,".priority":2}"#), Rig.answer(3, "ok", "{}")])
    }

    @Test func `a client with current data receives only the ok, and later changes`() {
        var rig = Rig.connected()
        _ = rig.request(1, "p", #"{"p":"/a","d":1}"#)
        #expect(
            rig.request(2, "q", #"{"p":"/a","h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}"#)
                == [Rig.answer(2, "ok", "{}")])
        #expect(
            rig.request(3, "p", #"{"p":"/a","d":2}"#) == [Rig.push("d", "a", "2"), Rig.answer(3)])
    }

    @Test func `a client with a compound hash gets the ranges that differ`() throws {
        var rig = Rig.connected()
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
        var rig = Rig.connected()
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
        var rig = Rig.connected()
        let answers = rig.send(
            Rig.request(1, "q", #"{"p":"/a","h":""}"#), Rig.request(2, "n", #"{"p":"/a"}"#))
        #expect(answers == [Rig.answer(1, "ok", "{}"), Rig.answer(2)])
    }

    @Test func `messages to a query have its tag, and a moved window is one message`() {
        var rig = Rig.connected()
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
        var rig = Rig.connected()
        let list = #"{"v":0,"w":{"n":1},"x":{"n":2},"y":{"n":9},"z":{"n":9}}"#
        _ = rig.request(1, "p", #"{"p":"/l","d":\#(list)}"#)
        let answer = try #require(rig.request(2, "g", #"{"p":"/l","q":\#(query)}"#).first)
        let shown = try JSONReader().parse(answer)[try Path("d/b/d")]
        #expect(shown.children.keys.map(\.text).joined() == keys)
    }

    @Test func `one put notifies each listen once`() {
        var rig = Rig.connected()
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
        var rig = Rig.connected(3)
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
}

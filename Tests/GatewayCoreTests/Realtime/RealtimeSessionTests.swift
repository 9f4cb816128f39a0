import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

/// A Firebase session by the messages of its WebSocket.
@Suite struct RealtimeSessionTests {
    private typealias Rig = RealtimeRig

    // MARK: Connection

    @Test func `the server speaks first, with the handshake`() {
        var rig = RealtimeRig()
        #expect(
            rig.connect() == [
                #"{"t":"c","d":{"t":"h","d":{"ts":1700000000001,"v":"5","h":"h:1","s":"00000000000000000000000000000001"}}}"#
            ])
    }

    @Test func `a client that only pings stays`() {
        var rig = Rig.connected()
        for _ in 0..<12 {
            let pong = rig.send(#"{"t":"c","d":{"t":"p","d":{}}}"#, after: 50_000)
            #expect(pong == [#"{"t":"c","d":{"t":"o","d":{}}}"#])
            #expect(!rig.isSilent())
        }
    }

    @Test(arguments: ["0", ""])
    func `a sign of life is not answered`(text: String) {
        var rig = Rig.connected()
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
    func `messages about the client itself are confirmed`(
        action: String, body: String, data: String
    ) {
        var rig = Rig.connected()
        #expect(rig.request(7, action, body) == [Rig.answer(7, "ok", data)])
    }

    @Test func `a node that stops sends its clients to another host`() {
        var rig = Rig.connected()
        #expect(rig.stop(redirectingTo: "h2:9") == [#"{"t":"c","d":{"t":"r","d":"h2:9"}}"#])
        #expect(rig.closed == [SessionID(number: 1): 1_001])
        #expect(rig.send("0", #"{"t":"c","d":{"t":"p","d":{}}}"#) == [])
        rig = Rig.connected()
        #expect(rig.stop(redirectingTo: nil) == [])
        #expect(rig.closed == [SessionID(number: 1): 1_001])
    }

    // MARK: Writes and reads

    @Test func `an own write comes as data before its ok`() {
        var rig = Rig.connected()
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
        var rig = Rig.connected()
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
        var rig = Rig.connected()
        rig.turn { $0.step(.backpressured(SessionID(number: 1))) }
        #expect(rig.request(1, "q", #"{"p":"/a","h":""}"#) == [])
        let told = rig.turn { $0.step(.writable(SessionID(number: 1))) }
        #expect(
            told[SessionID(number: 1)]
                == [Rig.push("d", "a", "null"), Rig.answer(1, "ok", "{}")])
    }

    @Test func `a put on other data than the client has seen is refused behind that data`() {
        var rig = Rig.connected()
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
        var rig = Rig.connected()
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
        var rig = Rig.connected()
        _ = rig.request(1, "p", #"{"p":"/r","d":{"c":1,"x":{"z":1}}}"#)
        _ = rig.request(2, "q", #"{"p":"/r","h":""}"#)
        #expect(
            rig.request(3, "m", #"{"p":"/r","d":{"x/y":1,"c":null,"k":{".sv":{"increment":2}}}}"#)
                == [Rig.push("m", "r", #"{"x/y":1,"c":null,"k":2}"#), Rig.answer(3)])
        #expect(rig.request(4, "m", #"{"p":"/r","d":{}}"#) == [Rig.answer(4)])
    }

    @Test func `a read is answered in the order of writes, null as well`() {
        var rig = Rig.connected()
        #expect(
            rig.send(
                Rig.request(1, "g", #"{"p":"/a","q":{}}"#),
                Rig.request(2, "p", #"{"p":"/a","d":{"b":[1,2],".priority":1}}"#),
                Rig.request(3, "g", #"{"p":"/a","q":{}}"#)) == [
                    Rig.answer(1, "ok", "null"), Rig.answer(2),
                    Rig.answer(3, "ok", #"{"b":{"0":1,"1":2},".priority":1}"#),
                ])
    }

    @Test func `on-disconnect writes are executed once, at the end of the connection`() {
        var rig = Rig.connected()
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
}

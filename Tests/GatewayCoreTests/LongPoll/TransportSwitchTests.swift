import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// A session changes from long polls to a WebSocket, and loses and reorders nothing.
@Suite struct TransportSwitchTests {
    private var rig = PollRig()

    private static let switched = #"{"t":"c","d":{"t":"a","d":{}}}"#
    private static let ended = #"{"t":"c","d":{"t":"n","d":{}}}"#
    private static let ping = #"{"t":"c","d":{"t":"p","d":{}}}"#
    private static let pong = #"{"t":"c","d":{"t":"o","d":{}}}"#
    private static let onDisconnect = PollRig.request(9, "o", #"{"p":"/gone","d":true}"#)

    private static func put(_ number: Int, _ value: Int) -> String {
        PollRig.request(number, "p", #"{"p":"/a","d":\#(value)}"#)
    }

    private static func push(_ value: Int) -> String { RealtimeRig.push("d", "a", "\(value)") }

    /// A client that listens at `/a`, and polls.
    private mutating func listening() -> (client: PollRig.Client, poll: SessionID) {
        var client = rig.start()
        _ = rig.upload(PollRig.listen, by: &client)
        return (client, rig.poll(client))
    }

    @Test mutating func `a healthy WebSocket replaces the polls`() {
        var (client, poll) = listening()
        let socket = rig.connect("s=\(client.name)")
        #expect(rig.texts(socket) == [Self.switched])
        for _ in 0..<2 {
            rig.send(Self.ping, on: socket)
            #expect(rig.texts(socket) == [Self.pong])
        }
        #expect(rig.script(poll) == nil)
        rig.send(Self.switched, on: socket)
        // From here on the node sends by the WebSocket, and the client buffers that until it has read `n`.
        #expect(rig.script(poll) == "pRTLPCB(2,[\(Self.ended)]);\n")
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        #expect(rig.texts(socket) == [Self.push(1)])
        poll = rig.upload(Self.ended, by: &client)
        #expect(rig.script(poll) == "pRTLPCB(3,[]);\npLPCommand(\"close\",3);\n")
        rig.send(Self.put(2, 2), on: socket)
        #expect(rig.texts(socket) == [Self.push(2), RealtimeRig.answer(2)])
        #expect(rig.script(rig.poll(client)) == "pLPCommand(\"close\");\n")
    }

    @Test mutating func `the client's end may come before its switch`() {
        var (client, poll) = listening()
        let socket = rig.connect("s=\(client.name)")
        poll = rig.upload(Self.ended, by: &client)
        #expect(rig.script(poll) == nil)
        rig.send(Self.switched, on: socket)
        #expect(rig.script(poll) == "pRTLPCB(3,[\(Self.ended)]);\npLPCommand(\"close\",3);\n")
        rig.send(Self.put(2, 1), on: socket)
        #expect(rig.texts(socket) == [Self.switched, Self.push(1), RealtimeRig.answer(2)])
    }

    @Test mutating func `the node's end waits for a poll`() {
        var (client, poll) = listening()
        let socket = rig.connect("s=\(client.name)")
        poll = rig.upload(Self.ended, by: &client)
        rig.node.turn([.closed(poll)])
        rig.send(Self.switched, on: socket)
        rig.send(Self.put(2, 1), on: socket)
        #expect(rig.texts(socket) == [Self.switched, Self.push(1), RealtimeRig.answer(2)])
        poll = rig.poll(client)
        #expect(rig.script(poll)?.contains(Self.ended) == true)
        rig.send(Self.put(3, 2), on: socket)
        #expect(rig.texts(socket) == [Self.push(2), RealtimeRig.answer(3)])
    }

    @Test mutating func `a poll between the chunks of a message is none of them`() {
        var (client, poll) = listening()
        let socket = rig.connect("s=\(client.name)")
        poll = rig.upload(Self.ended, by: &client)
        rig.node.turn([.closed(poll)])
        rig.send(Self.switched, on: socket)
        let put = Self.put(2, 1)
        rig.send("2", on: socket)
        rig.send(String(put.prefix(20)), on: socket)
        #expect(rig.script(rig.poll(client))?.contains(Self.ended) == true)
        rig.send(String(put.dropFirst(20)), on: socket)
        #expect(rig.texts(socket) == [Self.switched, Self.push(1), RealtimeRig.answer(2)])
        #expect(!rig.node.closed.contains(socket))
    }

    @Test mutating func `data that wait for the last poll are bounded`() {
        let (client, _) = listening()
        let socket = rig.connect("s=\(client.name)")
        for _ in 0..<20_000 { rig.send("0", on: socket) }
        #expect(!rig.node.closed.contains(socket))
        rig.send("0", on: socket)
        #expect(rig.node.closed.contains(socket))
        #expect(rig.script(rig.poll(client)) == "pLPCommand(\"close\");\n")
    }

    @Test mutating func `requests by the WebSocket wait for the last one by polls`() {
        var (client, _) = listening()
        let socket = rig.connect("s=\(client.name)")
        rig.send(Self.switched, on: socket)
        // Chunks, a sign of life and a ping among them.
        let late = Self.put(3, 3)
        for text in ["2", String(late.prefix(20)), String(late.dropFirst(20)), "0", Self.ping] {
            rig.send(text, on: socket)
        }
        #expect(rig.texts(socket) == [Self.switched, Self.pong])
        _ = rig.upload(Self.put(2, 2), by: &client)
        #expect(rig.texts(socket) == [Self.push(2), RealtimeRig.answer(2)])
        _ = rig.upload(Self.ended, by: &client)
        #expect(rig.texts(socket) == [Self.push(3), RealtimeRig.answer(3)])
    }

    @Test mutating func `the session goes on as that of the WebSocket`() {
        var (client, _) = listening()
        let socket = rig.connect("s=\(client.name)")
        rig.send(Self.switched, on: socket)
        _ = rig.upload(Self.ended, by: &client)
        rig.send(Self.onDisconnect, on: socket)
        // The page's frame goes with the polls; that must not end the session.
        _ = rig.node.curl("/.lp?disconn=t&id=\(client.id)&pw=\(client.password)")
        rig.node.wait(50_000)
        #expect(rig.node.curl("/gone.json").body == "null")
        #expect(!rig.node.closed.contains(socket))
        rig.node.turn([.closed(socket)])
        #expect(rig.node.curl("/gone.json").body == "true")
    }

    @Test mutating func `a session that has changed ends by its name, or by silence`() {
        for isNamed in [true, false] {
            var (client, _) = listening()
            let socket = rig.connect("s=\(client.name)")
            rig.send(Self.switched, on: socket)
            _ = rig.upload(Self.ended, by: &client)
            rig.send(Self.onDisconnect, on: socket)
            if isNamed { _ = rig.connect("ls=\(client.name)") } else { rig.node.wait(100_000) }
            #expect(rig.node.closed.contains(socket))
            #expect(rig.node.curl("/gone.json").body == "true")
            _ = rig.node.curl("/gone.json", "DELETE")
        }
    }

    @Test mutating func `a WebSocket that ends before the switch changes nothing`() {
        let (client, poll) = listening()
        let socket = rig.connect("s=\(client.name)")
        rig.node.turn([.closed(socket)])
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        #expect(rig.script(poll) == "pRTLPCB(2,[\(Self.push(1))]);\n")
        let next = rig.connect("s=\(client.name)")
        #expect(rig.texts(next) == [Self.switched])
    }

    @Test mutating func `a WebSocket that ends during the switch ends the session`() {
        var (client, _) = listening()
        _ = rig.upload(Self.onDisconnect, by: &client)
        let socket = rig.connect("s=\(client.name)")
        rig.send(Self.switched, on: socket)
        rig.node.turn([.closed(socket)])
        #expect(rig.node.curl("/gone.json").body == "true")
        #expect(rig.script(rig.poll(client)) == "pLPCommand(\"close\");\n")
    }

    /// Nothing but the node waits for a poll that got lost once the client reads from the WebSocket.
    @Test mutating func `a session whose last poll is lost ends, and its client begins another`() {
        let (client, _) = listening()
        let socket = rig.connect("s=\(client.name)")
        rig.node.wait(60_000)
        rig.send(Self.switched, on: socket)
        rig.send(Self.put(2, 1), on: socket)
        rig.node.wait(19_000)
        #expect(!rig.node.closed.contains(socket))
        rig.node.wait(1_500)
        #expect(rig.node.closed.contains(socket))
        #expect(rig.node.curl("/a.json").body == "null", "what came behind the lost poll waited")
    }

    @Test mutating func `one WebSocket at a time`() {
        let (client, _) = listening()
        let first = rig.connect("s=\(client.name)")
        let second = rig.connect("s=\(client.name)")
        #expect(rig.node.closed == [first])
        rig.send(Self.switched, on: second)
        let third = rig.connect("s=\(client.name)")
        #expect(rig.node.closed == [first, third])
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        #expect(rig.texts(second) == [Self.switched, Self.push(1)])
    }

    @Test mutating func `only a session that polls can change`() {
        let (client, _) = listening()
        for name in ["", "x", client.id] {
            let connection = rig.connect("s=\(name)")
            #expect(rig.node.answers(connection).map(\.status) == [404])
        }
        let socket = rig.connect("ns=x")
        let text = rig.texts(socket)[0]
        let name = text[text.firstRange(of: "\"s\":\"")!.upperBound...].prefix(32)
        #expect(rig.node.answers(rig.connect("s=\(name)")).map(\.status) == [404])
    }

    @Test mutating func `large values leave whole, by polls or by the WebSocket`() {
        let text = String(repeating: "x", count: 900_000)
        _ = rig.node.curl("/big.json", "PUT", body: #"["\#(text)","\#(text)"]"#)
        var (client, _) = listening()
        var parameters = ""
        for index in 0..<4 {
            let get = PollRig.request(index + 2, "g", #"{"p":"/big","q":{}}"#)
            parameters += PollRig.parameters(
                index, client.nextSegment, of: 1, PollRig.base64(get))
            client.nextSegment += 1
        }
        let first = rig.script(rig.poll(client, parameters))
        let socket = rig.connect("s=\(client.name)")
        rig.send(Self.switched, on: socket)
        let second = rig.script(rig.upload(Self.ended, by: &client))
        let rest = rig.texts(socket).joined()
        #expect(first?.contains(#"{"r":2,"#) == true)
        #expect(second?.contains(Self.ended) == true)
        let bytes = [first ?? "", second ?? "", rest].map(\.utf8.count).reduce(0, +)
        #expect(bytes > 4 * 1_800_000)
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        #expect(rig.texts(socket) == [Self.push(1)])
    }

    @Test mutating func `a node that stops closes a WebSocket to which a session changes`() {
        let (client, _) = listening()
        let socket = rig.connect("s=\(client.name)")
        rig.node.turn([.became(.unavailable(reason: "stopping"))])
        #expect(rig.node.closed.contains(socket))
    }
}

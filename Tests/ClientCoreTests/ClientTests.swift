import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct ClientTests {
    @Test func `before a node has answered, the client sends only a hello`() {
        var rig = Rig()
        let outputs = rig.turn(put(1))
        let hello = ClientMessage.hello(id: 1, seen: VersionVector())
        #expect(outputs == [.connect("tcp://a:1"), .send(hello.frame)])
        let after = rig.turn(Rig.ready(1))
        #expect(Rig.messages(after) == [.put(id: 2, path: path("k1"), value: .integer(1))])
    }

    @Test func `the requests of one turn travel in one frame and are answered by their own ids`() {
        var rig = Rig()
        rig.open()
        let sent = rig.turn(put(7), .asked(Request(RequestID(number: 8), .get(.root))))
        #expect(sent.count == 1)
        #expect(
            Rig.messages(sent) == [
                .put(id: 2, path: path("k7"), value: .integer(1)), .get(id: 3, path: .root),
            ])
        let answered = rig.turn(
            .received(NodeMessage.value(id: 3, value: .integer(5)).frame),
            .received(NodeMessage.ok(id: 2).frame))
        #expect(
            answered == [
                .succeeded(RequestID(number: 8), .value(.integer(5))),
                .succeeded(RequestID(number: 7), .done),
            ])
        #expect(!rig.client.isAwaiting)
    }

    @Test func `no more than the window is in flight`() {
        var rig = Rig { $0.window = 2 }
        rig.open()
        #expect(Rig.messages(rig.turn(put(1), put(2), put(3))).count == 2)
        let next = rig.turn(.received(NodeMessage.ok(id: 2).frame))
        #expect(Rig.messages(next) == [.put(id: 4, path: path("k3"), value: .integer(1))])
    }

    @Test func `a full frame is followed by another`() {
        var rig = Rig { $0.frameBytes = 1000 }
        rig.open()
        let text = Value.string(String(repeating: "x", count: 600))
        #expect(rig.turn(put(1, text), put(2, text), put(3, text)).count == 2)
    }

    @Test func `unanswered requests are repeated in order over the next connection`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        _ = rig.turn(put(1), put(2), put(3))
        _ = rig.turn(.received(NodeMessage.ok(id: 2).frame))
        #expect(rig.turn(put(4), .connectionLost) == [.disconnected])
        #expect(rig.turn().first == .connect("tcp://b:1"))
        let sent = Rig.messages(rig.turn(Rig.ready(5)))
        let paths = sent.map {
            if case .put(let put) = $0.request { put.path } else { Path.root }
        }
        #expect(paths == [path("k2"), path("k3"), path("k4")])
    }

    @Test func `a request that cannot be repeated at another node fails with an unknown outcome`() {
        var rig = Rig()
        rig.open()
        let increment = Value.deferred(.increment(.integer(1)))
        _ = rig.turn(put(1, increment), put(2, .integer(1).prioritized(increment)))
        let errors = Rig.failures(rig.turn(.connectionLost))
        #expect(errors.map(\.code) == [.disconnected])
        #expect(errors.map(\.effect) == [.unknown])
    }

    @Test func `an increment that was never sent waits for the next connection`() {
        var rig = Rig()
        _ = rig.turn(put(1, .deferred(.increment(.integer(1)))))
        #expect(Rig.failures(rig.turn(.connectionLost)) == [])
        #expect(rig.client.isAwaiting)
    }

    @Test func `a request that a node cannot accept is sent to another node`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        _ = rig.turn(put(1, .deferred(.increment(.integer(1)))))
        let refusal = NodeMessage.error(
            id: 2, code: .unavailable, problem: "the node stops", fix: "ask another")
        #expect(rig.turn(.received(refusal.frame)) == [.disconnected])
        _ = rig.turn()
        let sent = Rig.messages(rig.turn(Rig.ready(3)))
        #expect(sent.count == 1)
    }

    @Test func `a refused write fails with the node's words and no effect`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(put(1))
        let refusal = NodeMessage.error(id: 2, code: .invalid, problem: "p", fix: "f")
        #expect(
            rig.turn(.received(refusal.frame)) == [
                .failed(RequestID(number: 1), HearthError(.invalid, "p", fix: "f"))
            ])
    }

    @Test func `a request that runs out of time says whether it may have happened`() {
        var rig = Rig()
        rig.open()
        let patience = Request.Patience.limited(milliseconds: 500)
        let get = Request(RequestID(number: 2), .get(.root), patience: patience)
        _ = rig.turn(put(1, patience: patience), .asked(get))
        #expect(rig.turn(after: 499) == [])
        let errors = Rig.failures(rig.turn(after: 1))
        #expect(errors.map(\.code) == [.timedOut, .timedOut])
        #expect(errors.map(\.effect) == [.unknown, .none])
    }

    @Test func `a brief request fails once every node was tried in vain`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        _ = rig.turn(put(1, patience: .brief(milliseconds: 9000)), put(2))
        #expect(Rig.failures(rig.turn(.connectionLost)) == [])
        #expect(rig.turn().first == .connect("tcp://b:1"))
        let errors = Rig.failures(rig.turn(.connectionLost))
        #expect(errors.map(\.code) == [.unreachable])
        #expect(errors.first?.problem == "no node answers at tcp://a:1 or tcp://b:1")
        #expect(rig.client.isAwaiting)
    }

    @Test func `a request that every node refuses for now fails with their reason`() {
        var rig = Rig()
        rig.open()
        let patience = Request.Patience.limited(milliseconds: 5_000)
        _ = rig.turn(put(1, patience: patience), put(2, patience: .brief(milliseconds: 5_000)))
        #expect(Rig.failures(rig.turn(Rig.refusal(2, .unavailable))) == [])
        _ = rig.turn()
        // Its hello is refused, too.
        let brief = Rig.failures(rig.turn(Rig.refusal(4, .unavailable)))
        #expect(brief.map(\.code) == [.unavailable])
        let limited = Rig.failures(rig.turn(after: 5_000))
        #expect(limited.map(\.code) == [.unavailable])
        #expect(limited.map(\.effect) == [.none])
    }

    @Test func `a brief request fails at once when each node refuses it for now`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        let sent = Rig.messages(rig.turn(put(1, patience: .brief(milliseconds: 9_000)), put(2)))
        #expect(sent.map(\.requestID) == [2, 3])
        #expect(Rig.failures(rig.turn(Rig.refusal(2, .unavailable))) == [])
        #expect(rig.turn().first == .connect("tcp://b:1"))
        #expect(Rig.messages(rig.turn(Rig.ready(4))).map(\.requestID) == [5, 6])
        let outputs = rig.turn(Rig.refusal(5, .unavailable))
        #expect(
            outputs.contains(
                .failed(RequestID(number: 1), HearthError(.unavailable, "p", fix: "f"))))
        #expect(Rig.failures(outputs).count == 1, "the other one is not brief")
    }

    @Test func `a client of another version is refused at once`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(put(1), listened(1, ""))
        let refusal = NodeMessage.error(id: 0, code: .version, problem: "p", fix: "f")
        let outputs = rig.turn(.received(refusal.frame))
        #expect(Rig.failures(outputs).map(\.code) == [.version])
        #expect(outputs.contains(.ended(ListenID(number: 1), HearthError(.version, "p", fix: "f"))))
    }
}

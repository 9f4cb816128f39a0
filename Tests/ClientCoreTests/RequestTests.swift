import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct RequestTests {
    @Test func `a write that no node would read fails, and the next one is sent`() {
        var rig = Rig()
        rig.open()
        let part = Value.string(String(repeating: "x", count: 10_000_000))
        let large = Value.object(["a": part, "b": part, "c": part, "d": part])
        let outputs = rig.turn(put(1, large), put(2))
        #expect(Rig.failures(outputs).map(\.code) == [.invalid])
        #expect(Rig.failures(outputs).first?.problem.contains("nodes take") == true)
        #expect(Rig.messages(outputs) == [.put(id: 2, path: path("k2"), value: .integer(1))])
        let fits = Value.object(["a": part, "b": part, "c": part])
        #expect(Rig.messages(rig.turn(put(3, fits))).count == 1)
    }

    private func got(_ id: UInt64, _ text: String, _ query: Query = Query()) -> Input {
        .asked(Request(RequestID(number: id), .get(path(text), query)))
    }

    private func told(_ listen: UInt64, _ value: Value) -> Input {
        let write = Write(path: .root, value: value)
        return .received(NodeMessage.change(listen: listen, writes: [write]).frame)
    }

    @Test
    func `the data of a listen are known without a request, with unanswered writes over them`()
        throws
    {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "a", []))
        #expect(Rig.messages(rig.turn(got(2, "a/x"))) == [.get(id: 3, path: path("a/x"))])
        _ = rig.turn(told(2, .object(["x": .integer(1), "y": .integer(2)])))
        let write = Request(RequestID(number: 3), .put(path("a/z"), .integer(3)))
        let last = try Query().orderedByKey().limited(toLast: 1)
        let outputs = rig.turn(.asked(write), got(4, "a/x"), got(5, "a", last))
        #expect(outputs.contains(.succeeded(RequestID(number: 4), .value(.integer(1)))))
        let shown = Value.object(["z": .integer(3)])
        #expect(outputs.contains(.succeeded(RequestID(number: 5), .value(shown))))
    }

    @Test func `a refused write is undone before the application learns of it`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "k7", .value))
        _ = rig.turn(told(2, .integer(5)))
        #expect(
            rig.turn(put(7)).first
                == .observed(
                    ListenID(number: 1), [ViewEvent(.value, nil, .integer(1))]))
        let refusal = NodeMessage.error(id: 3, code: .invalid, problem: "p", fix: "f")
        #expect(
            rig.turn(.received(refusal.frame)) == [
                .observed(ListenID(number: 1), [ViewEvent(.value, nil, .integer(5))]),
                .failed(RequestID(number: 7), HearthError(.invalid, "p", fix: "f")),
            ])
    }

    @Test func `an earlier write that waits for other nodes does not hide an answered later one`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "k", .value))
        _ = rig.turn(told(2, .integer(0)))
        let first = Request(RequestID(number: 7), .put(path("k"), .integer(1)), concern: .all)
        let second = Request(RequestID(number: 8), .put(path("k"), .integer(2)))
        _ = rig.turn(.asked(first), .asked(second))
        _ = rig.turn(told(2, .integer(1)), told(2, .integer(2)))
        let answer = NodeMessage.ok(id: 4).frame
        #expect(rig.turn(.received(answer)) == [.succeeded(RequestID(number: 8), .done)])
        let outputs = rig.turn(told(2, .integer(3)))
        let shown = ViewEvent(.value, nil, .integer(3))
        #expect(outputs == [.observed(ListenID(number: 1), [shown])])
        let reached = NodeMessage.acknowledged(id: 3, concern: .all).frame
        #expect(rig.turn(.received(reached)) == [.succeeded(RequestID(number: 7), .done)])
    }

    @Test(arguments: WriteConcern.allCases, WriteConcern.allCases)
    func `a write is done once it is as durable as it is to be`(
        wanted: WriteConcern, reached: WriteConcern
    ) {
        var rig = Rig()
        rig.open()
        let request = Request(
            RequestID(number: 7), .put(path("a"), .integer(1)), concern: wanted)
        let messages = Rig.messages(rig.turn(.asked(request)))
        guard let message = messages.first, case .put(let put) = message.request else {
            Issue.record("nothing is written")
            return
        }
        #expect(put.concern == wanted)
        let outputs = rig.turn(
            .received(NodeMessage.acknowledged(id: message.id, concern: reached).frame))
        if reached >= wanted {
            #expect(outputs == [.succeeded(RequestID(number: 7), .done)])
        } else {
            let errors: [HearthError] = Rig.failures(outputs)
            #expect(errors.map(\.code) == [.notMet])
            #expect(errors.map(\.effect) == [.done])
        }
    }

    @Test func `stability is awaited at the next node for the remaining time`() {
        var rig = Rig()
        rig.open()
        let request = Request(
            RequestID(number: 7), .awaitStable(milliseconds: 5_000),
            patience: .limited(milliseconds: 6_000))
        #expect(
            Rig.messages(rig.turn(.asked(request))) == [.awaitStable(id: 2, milliseconds: 5_000)])
        _ = rig.turn(after: 900, .connectionLost)
        _ = rig.turn(after: 500)
        let again = Rig.messages(rig.turn(Rig.ready(3)))
        guard let message = again.first, case .awaitStable(let wait) = message.request else {
            Issue.record("asked nothing of the next node: \(again)")
            return
        }
        #expect(message.id == 4)
        #expect(wait.milliseconds == 3_600)
        let refused = rig.turn(Rig.refusal(4, .notStable))
        #expect(Rig.failures(refused).map(\.code) == [.notStable])
        #expect(Rig.failures(refused).map(\.effect) == [.none])
    }

    @Test func `a request that no node accepts fails with the reason of the last answer`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        let request = Request(
            RequestID(number: 7), .get(path("a"), Query()), patience: .brief(milliseconds: 9_000))
        #expect(rig.turn(.asked(request)).contains(.connect("tcp://a:1")))
        let other = HearthError(.unavailable, "another node is there", fix: "look")
        #expect(Rig.failures(rig.turn(.connectionRefused(other))) == [])
        #expect(rig.turn(after: 1_000).contains(.connect("tcp://b:1")))
        let errors = Rig.failures(rig.turn(.connectionLost))
        #expect(errors.map(\.problem) == ["another node is there"])
        #expect(errors.map(\.effect) == [.none])
    }

    @Test func `a searching request waits for a node, and ends with a refusal or its time`() {
        func rig() -> Rig {
            var rig = Rig(nodes: ["tcp://a:1"])
            let request = Request(
                RequestID(number: 7), .get(path("a"), Query()),
                patience: .searching(milliseconds: 9_000))
            _ = rig.turn(.asked(request))
            return rig
        }
        var lost = rig()
        #expect(Rig.failures(lost.turn(.connectionLost)) == [])
        #expect(Rig.failures(lost.turn(after: 8_999)) == [])
        #expect(Rig.failures(lost.turn(after: 1)).map(\.code) == [.unreachable])
        var misled = rig()
        let absence = HearthError(.unavailable, "b does not answer", fix: "start it")
        #expect(Rig.failures(misled.turn(.connectionMisled(absence))) == [])
        #expect(Rig.failures(misled.turn(after: 9_000)) == [absence])
        var denied = rig()
        let denial = HearthError(.permissionDenied, "another secret", fix: "show it")
        #expect(
            Rig.failures(denied.turn(.connectionRefused(denial))).map(\.code) == [.permissionDenied]
        )
        var unready = rig()
        #expect(
            Rig.failures(unready.turn(Rig.refusal(1, .unavailable))).map(\.code) == [.unavailable])
        var refused = rig()
        _ = refused.turn(Rig.ready(1))
        let failures = Rig.failures(refused.turn(Rig.refusal(2, .unavailable)))
        #expect(failures.map(\.code) == [.unavailable])
    }

    @Test func `too many requests without an answer fail at once`() {
        var rig = Rig { $0.queueLimit = 2 }
        let errors = Rig.failures(rig.turn(put(1), put(2), put(3)))
        #expect(errors.map(\.code) == [.full])
        #expect(errors.map(\.effect) == [.none])
    }

    @Test func `the client answers for its own state without a node`() {
        var rig = Rig()
        let listen = ListenID(number: 1)
        let connected = rig.turn(listened(1, ".info/connected"), got(2, ".info/connected"))
        #expect(connected.contains(.observed(listen, [ViewEvent(.value, nil, .boolean(false))])))
        #expect(connected.contains(.succeeded(RequestID(number: 2), .value(.boolean(false)))))
        _ = rig.turn(listened(3, ".info/serverTimeOffset"))
        // The question left at 1,000,000 and came back 100 ms later.
        let ready = NodeMessage.ready(
            id: 1, member: "n1", wallMilliseconds: 1_002_050, time: .zero, holds: VersionVector())
        let outputs = rig.turn(after: 100, .received(ready.frame))
        #expect(outputs.contains(.observed(listen, [ViewEvent(.value, nil, .boolean(true))])))
        #expect(
            outputs.contains(
                .observed(ListenID(number: 3), [ViewEvent(.value, nil, .integer(2000))])))
        let write = Request(RequestID(number: 4), .put(path(".info/connected"), .null))
        #expect(Rig.failures(rig.turn(.asked(write))).map(\.code) == [.invalid])
    }

    @Test func `without a connection nothing is tried until it is wanted again`() {
        var rig = Rig()
        rig.open()
        #expect(rig.turn(.wentOffline) == [.disconnect, .disconnected])
        #expect(rig.turn(after: 60_000, put(1)) == [])
        #expect(rig.turn(.wentOnline) == [])
        #expect(rig.turn().first == .connect("tcp://a:1"))
    }

    @Test func `writes for the end of a connection are asked for at the next one too`() {
        var rig = Rig()
        rig.open()
        let work = Request.Work.onDisconnectPut(path("gone"), .boolean(true))
        let sent = rig.turn(.asked(Request(RequestID(number: 1), work)))
        let expected = ClientMessage.onDisconnect(
            id: 2, path: path("gone"), value: .boolean(true))
        #expect(Rig.messages(sent) == [expected])
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        let again = Rig.messages(rig.turn(Rig.ready(3)))
        #expect(
            again == [.onDisconnect(id: 4, path: path("gone"), value: .boolean(true))])
    }

    @Test func `child events come before value events in any order of listeners`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "a", .value))
        _ = rig.turn(listened(2, "a", ViewEvent.Kinds(.childAdded)))
        let outputs = rig.turn(told(2, .object(["x": .integer(1)])))
        let order = outputs.map { output -> UInt64 in
            if case .observed(let id, _) = output { id.number } else { 0 }
        }
        #expect(order == [2, 1])
    }

    @Test func `an invalid write is refused before a listener sees it`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "k1"))
        let wrong = Value.double(.nan)
        let merge = Request(
            RequestID(number: 2), .merge(path("k1"), [Write(path: path("x"), value: wrong)]))
        let atEnd = Request(RequestID(number: 3), .onDisconnectPut(path("k1"), wrong))
        let outputs = rig.turn(put(1, wrong), .asked(merge), .asked(atEnd))
        #expect(Rig.failures(outputs).map(\.code) == [.invalid, .invalid, .invalid])
        #expect(Rig.messages(outputs).isEmpty)
        #expect(!outputs.contains { if case .observed = $0 { true } else { false } })
    }

    @Test func `an offline read fails at once unless a listen has the data`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(1, "a"))
        _ = rig.turn(told(2, .integer(5)))
        _ = rig.turn(.wentOffline)
        let outputs = rig.turn(got(7, "a"), got(8, "b"))
        #expect(outputs.contains(.succeeded(RequestID(number: 7), .value(.integer(5)))))
        #expect(Rig.failures(outputs).map(\.code) == [.offline])
        // What waits for a node already has its own limit.
        _ = rig.turn(.wentOnline)
        #expect(Rig.failures(rig.turn(got(9, "b"))).isEmpty)
    }

    @Test func `writes that are taken back are seen and sent no more`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(put(1))
        _ = rig.turn(.wentOffline)
        _ = rig.turn(listened(1, "k2"), put(2))
        let left = Request(RequestID(number: 4), .onDisconnectPut(path("k4"), .null))
        let outputs = rig.turn(.asked(left), .purged)
        let failures = Rig.failures(outputs)
        #expect(failures.map(\.code) == [.cancelled, .cancelled, .cancelled])
        // The first was sent.
        #expect(failures.map(\.effect) == [.unknown, .none, .none])
        #expect(failures[1].problem.contains("/k2"))
        _ = rig.turn(.wentOnline)
        let sent = Rig.messages(rig.turn())
        #expect(
            !sent.contains { message in
                switch message.request {
                case .put, .onDisconnect: true
                default: false
                }
            })
    }
}

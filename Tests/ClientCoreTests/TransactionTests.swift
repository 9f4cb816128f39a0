import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct TransactionTests {
    private static let place = path("n")

    private func began(_ id: UInt64, _ visibility: WriteVisibility = .shown) -> Input {
        .asked(Request(RequestID(number: id), .transact(TransactionTests.place, visibility)))
    }

    private func ran(_ id: UInt64, _ value: Int64) -> Input {
        .ran(RequestID(number: id), .value(.integer(value)))
    }

    private func told(_ listen: UInt64, _ value: Value) -> Input {
        let write = Write(path: .root, value: value)
        return .received(NodeMessage.change(listen: listen, writes: [write]).frame)
    }

    private func changed(_ id: UInt64) -> Input {
        .received(NodeMessage.error(id: id, code: .changed, problem: "p", fix: "f").frame)
    }

    private func conditions(_ outputs: [Output]) -> [DataHash?] {
        Rig.messages(outputs).compactMap { message -> DataHash?? in
            if case .put(let put) = message.request { put.condition?.hash } else { nil }
        }
    }

    @Test func `a cold transaction runs on null, then on the stored value`() {
        var rig = Rig()
        rig.open()
        let begun = rig.turn(began(1))
        #expect(begun.first == .transact(RequestID(number: 1), .null))
        #expect(Rig.messages(begun) == [.listen(id: 2, path: TransactionTests.place)])
        #expect(conditions(rig.turn(ran(1, 1))) == [DataHash(of: .null)])
        let again = rig.turn(told(2, .integer(7)), changed(3))
        #expect(again == [.transact(RequestID(number: 1), .integer(7))])
        #expect(conditions(rig.turn(ran(1, 8))) == [DataHash(of: .integer(7))])
        let done = rig.turn(
            told(2, .integer(8)), .received(NodeMessage.ok(id: 4).frame))
        #expect(done.first == .succeeded(RequestID(number: 1), .committed(.integer(8))))
        #expect(Rig.messages(done) == [.unlisten(id: 5, listen: 2)])
    }

    @Test func `those that overlap are sent one upon the other, and run again in order`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(9, "n"))
        _ = rig.turn(told(2, .integer(1)))
        #expect(rig.turn(began(1), began(2)) == [.transact(RequestID(number: 1), .integer(1))])
        let second = rig.turn(ran(1, 2))
        #expect(second.contains(.transact(RequestID(number: 2), .integer(2))))
        #expect(conditions(rig.turn(ran(2, 3))) == [DataHash(of: .integer(2))])
        // The second one, which rests on the first, is waited for: it cannot succeed.
        let refused = rig.turn(told(2, .integer(5)), changed(3))
        #expect(!refused.contains { if case .transact = $0 { true } else { false } })
        let again = rig.turn(changed(4))
        #expect(again.contains(.transact(RequestID(number: 1), .integer(5))))
        let after = rig.turn(ran(1, 6))
        #expect(after.contains(.transact(RequestID(number: 2), .integer(6))))
    }

    @Test func `listeners see a visible one at once, and a hidden one after the node's answer`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(9, "n"))
        _ = rig.turn(told(2, .integer(1)))
        let seen = { (outputs: [Output]) in
            outputs.contains { if case .observed = $0 { true } else { false } }
        }
        _ = rig.turn(began(1))
        #expect(seen(rig.turn(ran(1, 2))))
        _ = rig.turn(began(2, .hidden))
        #expect(!seen(rig.turn(ran(2, 3))))
        #expect(seen(rig.turn(told(2, .integer(3)), .received(NodeMessage.ok(id: 3).frame))))
    }

    @Test func `an abort changes nothing`() {
        var rig = Rig()
        _ = rig.turn(began(1))
        let outputs = rig.turn(.ran(RequestID(number: 1), .abort))
        #expect(outputs.contains(.succeeded(RequestID(number: 1), .aborted(.null))))
    }

    @Test func `a write over its place ends a transaction that no node has`() {
        var rig = Rig()
        _ = rig.turn(began(1), ran(1, 1))
        let write = Request(RequestID(number: 2), .put(path("n/x"), .integer(1)))
        #expect(Rig.failures(rig.turn(.asked(write))).map(\.code) == [.overwritten])
    }

    @Test func `a write over its place leaves the decision to the node that may have it`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(began(1), ran(1, 1))
        let write = Request(RequestID(number: 2), .put(.root, .null))
        #expect(Rig.failures(rig.turn(.asked(write))) == [])
        #expect(Rig.failures(rig.turn(changed(3))).map(\.code) == [.overwritten])
    }

    private func puts(_ outputs: [Output]) -> [(hash: DataHash?, stamp: Stamp?)] {
        Rig.stamped(outputs).compactMap { message in
            guard case .put(let put) = message.request else { return nil }
            return (put.condition?.hash, put.stamp)
        }
    }

    /// A transaction is on its way as its connection is lost; what it would have run on is different by
    /// the time of the next one.
    private func interrupted(_ rig: inout Rig) -> Stamp? {
        rig.open()
        _ = rig.turn(listened(9, "n"))
        _ = rig.turn(told(2, .integer(1)))
        _ = rig.turn(began(1))
        let sent = puts(rig.turn(ran(1, 2)))
        #expect(sent.map(\.hash) == [DataHash(of: .integer(1))])
        #expect(Rig.failures(rig.turn(.connectionLost)) == [])
        _ = rig.turn(after: 200)
        let again = puts(rig.turn(after: 200, Rig.ready(4)))
        _ = rig.turn(told(5, .integer(2)))
        // As it was, under its name: it may be what has changed the place.
        #expect(again.map(\.hash) == [DataHash(of: .integer(1))])
        #expect(again.first?.stamp == sent.first?.stamp && sent.first?.stamp != nil)
        return sent.first?.stamp
    }

    @Test func `one that may have happened is asked for again under its name`() {
        var rig = Rig()
        _ = interrupted(&rig)
        let done = rig.turn(.received(NodeMessage.ok(id: 6).frame))
        #expect(done.contains(.succeeded(RequestID(number: 1), .committed(.integer(2)))))
    }

    @Test func `one that has not happened is run again, under another name`() {
        var rig = Rig()
        let name = interrupted(&rig)
        #expect(rig.turn(changed(6)).contains(.transact(RequestID(number: 1), .integer(2))))
        let again = puts(rig.turn(ran(1, 3)))
        #expect(again.map(\.hash) == [DataHash(of: .integer(2))])
        #expect(again.first?.stamp != name)
    }

    @Test func `an undecided transaction is requested again, then its outcome is unknown`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(began(1))
        let name = puts(rig.turn(ran(1, 1))).first?.stamp
        let undecided = Input.received(
            NodeMessage.error(id: 3, code: .undecided, problem: "p", fix: "f").frame)
        _ = rig.turn(undecided)
        _ = rig.turn(after: 200)
        let again = puts(rig.turn(after: 10, Rig.ready(4))).map(\.stamp)
        #expect(again == [name] && name != nil)
    }

    @Test(arguments: [ErrorCode.noMajority, .permissionDenied, .tooBig])
    func `that one node refuses it says nothing about the node before`(code: ErrorCode) {
        var rig = Rig()
        _ = interrupted(&rig)
        let refusal = NodeMessage.error(id: 6, code: code, problem: "p", fix: "f")
        let errors = Rig.failures(rig.turn(.received(refusal.frame)))
        #expect(errors.map(\.effect) == [.unknown])
    }

    @Test func `without a majority it fails, and nothing has happened`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(began(1), ran(1, 1))
        let refusal = NodeMessage.error(id: 3, code: .noMajority, problem: "p", fix: "f")
        let errors = Rig.failures(rig.turn(.received(refusal.frame)))
        #expect(errors.map(\.code) == [.noMajority])
        #expect(errors.map(\.effect) == [HearthError.Effect.none])
    }

    @Test func `the node learns the time limit and the scope of the decision`() {
        var rig = Rig()
        rig.open()
        let request = Request(
            RequestID(number: 1), .transact(TransactionTests.place, .shown, .local),
            patience: .limited(milliseconds: 10_000))
        _ = rig.turn(.asked(request))
        let sent = Rig.messages(rig.turn(after: 2_000, ran(1, 1))).compactMap { message in
            if case .put(let put) = message.request { put.condition } else { nil }
        }
        #expect(sent.map(\.isLocal) == [true])
        // Half a second less than what is left, for its answer.
        #expect(sent.map(\.patienceMilliseconds) == [7_500])
    }

    @Test func `one that was not sent waits for the next connection`() {
        var rig = Rig()
        _ = rig.turn(began(1), ran(1, 1))
        #expect(Rig.failures(rig.turn(.connectionLost)) == [])
        _ = rig.turn(after: 200)
        let outputs = rig.turn(after: 200, Rig.ready(2))
        #expect(conditions(outputs) == [DataHash(of: .null)])
    }

    @Test func `after 25 tries in vain it fails`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(began(1))
        var errors: [HearthError] = []
        for wireID: UInt64 in 3... {
            _ = rig.turn(ran(1, 1))
            errors += Rig.failures(rig.turn(changed(wireID)))
            if !errors.isEmpty {
                #expect(wireID == 27)
                break
            }
        }
        #expect(errors.map(\.code) == [.triedTooOften])
    }
}

import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct PersistenceTests {
    private func records(_ outputs: [Output]) -> [Record] {
        outputs.flatMap { output -> [Record] in
            if case .persist(let records) = output { records } else { [] }
        }
    }

    @Test func `an unanswered write is kept until it is answered, and sent in the next life`() {
        var rig = Rig { $0.isPersistent = true }
        let kept = records(rig.turn(put(1), put(2))).compactMap { record -> KeptWrite? in
            if case .write(let number, let frame) = record {
                KeptWrite(number: number, frame: frame)
            } else {
                nil
            }
        }
        #expect(kept.count == 2)

        var next = Rig { $0.isPersistent = true }
        #expect(next.turn(.restored(kept.reversed())).count == 2)
        let sent = Rig.messages(next.turn(put(3), Rig.ready(1)))
        let paths = sent.map {
            if case .put(let put) = $0.request { put.path } else { Path.root }
        }
        #expect(paths == [path("k1"), path("k2"), path("k3")])
        #expect(
            records(next.turn(.received(NodeMessage.ok(id: 2).frame))) == [.writeEnded(number: 1)])
    }

    @Test func `a request that must not be repeated is forgotten before it is sent`() throws {
        var rig = Rig { $0.isPersistent = true }
        rig.open()
        let increment = Value.deferred(.increment(.integer(1)))
        let outputs = rig.turn(put(1, .integer(1).prioritized(increment)))
        #expect(records(outputs).last == .writeEnded(number: 1))
        let persisted = try #require(
            outputs.firstIndex { if case .persist = $0 { true } else { false } })
        let sent = try #require(outputs.firstIndex { if case .send = $0 { true } else { false } })
        #expect(persisted < sent)
    }

    @Test func `the next process knows the data of a listen, which are not sent again`() throws {
        var rig = Rig { $0.isPersistent = true }
        rig.open()
        _ = rig.turn(listened(1, "a"))
        let tree = Value.object(["x": .integer(1)])
        let change = NodeMessage.change(listen: 2, writes: [Write(path: .root, value: tree)])
        let kept = records(rig.turn(after: 2000, .received(change.frame)))
        guard case .value(let key, let frame) = try #require(kept.first) else {
            Issue.record("no value is kept: \(kept)")
            return
        }

        var next = Rig { $0.isPersistent = true }
        #expect(next.turn(listened(1, "a", .value)).contains(.recall(key: key)))
        #expect(
            next.turn(.recalled(key: key, frame: frame)).contains(
                .observed(ListenID(number: 1), [ViewEvent(.value, nil, tree)])))
        let asked = Rig.messages(next.turn(Rig.ready(1)))
        #expect(
            asked == [
                .listen(id: 2, path: path("a"), held: HeldData(hash: DataHash(of: tree)))
            ])
    }

    @Test func `a value that changes often is kept once a second, and at the end`() {
        var rig = Rig { $0.isPersistent = true }
        rig.open()
        _ = rig.turn(listened(1, "a"))
        let told = { (number: Int64) in
            let write = Write(path: .root, value: .integer(number))
            return Input.received(NodeMessage.change(listen: 2, writes: [write]).frame)
        }
        #expect(records(rig.turn(after: 2000, told(1))).count == 1)
        #expect(records(rig.turn(after: 500, told(2))).isEmpty)
        #expect(records(rig.turn(told(3), .ending)).count == 1)
    }
}

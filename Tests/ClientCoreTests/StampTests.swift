import DataTree
import SyncProtocol
import Testing

@testable import ClientCore

/// What a client does so that each of its writes is done once, and so that it never sees less than
/// before.
@Suite struct StampTests {
    private let increment = Value.deferred(.increment(.integer(1)))

    private func vector(_ origin: UInt64, _ sequence: UInt64) -> VersionVector {
        var vector = VersionVector()
        vector[WriterID(bits: origin)] = sequence
        return vector
    }

    private func seen(_ milliseconds: UInt64, _ holds: VersionVector = VersionVector()) -> Input {
        let time = HybridTime(milliseconds: milliseconds)
        return .received(NodeMessage.seen(time: time, holds: holds).frame)
    }

    @Test func `stamps ascend, follow the node's clock and exceed what was seen`() throws {
        var rig = Rig()
        rig.open()
        let first = try #require(Rig.stamps(rig.turn(after: 50, put(1), put(2))).last ?? nil)
        #expect(first.writer == Rig.writer)
        #expect(first.time == HybridTime(milliseconds: 1_001_050).successor)
        _ = rig.turn(seen(2_000_000))
        let second = try #require(Rig.stamps(rig.turn(put(3))).last ?? nil)
        #expect(second.time == HybridTime(milliseconds: 2_000_000).successor)
    }

    @Test func `an unanswered write, also an increment, keeps its stamp at the next node`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        let sent = Rig.stamps(rig.turn(put(1, increment), put(2)))
        #expect(rig.turn(.connectionLost) == [.disconnected])
        _ = rig.turn()
        #expect(Rig.stamps(rig.turn(Rig.ready(4))) == sent)
    }

    @Test func `after a wrong clock stamps begin again behind another node's, as another writer`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        let hour: UInt64 = 3_600_000
        _ = rig.turn(seen(1_001_000 + hour))
        let ahead = Rig.stamps(rig.turn(put(1)))[0]!
        _ = rig.turn(.received(NodeMessage.ok(id: 2).frame))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        _ = rig.turn(Rig.ready(3))
        let anew = Rig.stamps(rig.turn(put(2), put(3))).map { $0! }
        #expect(ahead.time > HybridTime(milliseconds: 1_001_000 + hour))
        #expect(anew[0].time == HybridTime(milliseconds: 1_001_000).successor)
        #expect(anew[1].time > anew[0].time)
        #expect(anew.allSatisfy { $0.writer != ahead.writer && $0.writer == anew[0].writer })
        #expect(rig.client.standing().writer == anew[0].writer)
    }

    @Test(arguments: [(10_000, true), (10_001, false)])
    func `accepted stamps continue unchanged`(lead: UInt64, isSame: Bool) {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        _ = rig.turn(seen(1_001_000 + lead))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        _ = rig.turn(Rig.ready(2))
        let stamp = Rig.stamps(rig.turn(put(1)))[0]!
        #expect((stamp.writer == Rig.writer) == isSame)
    }

    @Test func `a stamp of unknown outcome keeps its writer, however far it is ahead`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"]) { $0.outcomeMilliseconds = 1_000 }
        rig.open()
        _ = rig.turn(seen(5_000_000))
        let sent = Rig.stamps(rig.turn(put(1)))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        // A node may have done it, so that what follows must exceed it.
        let again = Rig.stamps(rig.turn(Rig.ready(3), put(2)))
        #expect(again[0] == sent[0] && again[1]!.time > sent[0]!.time)
        _ = rig.turn(after: 500, Rig.refusal(4, .undecided), Rig.refusal(5, .undecided))
        _ = rig.turn(after: 900)
        _ = rig.turn(Rig.ready(6))
        // The first one fails; the other one was not sent before.
        let last = rig.turn(
            after: 100, Rig.refusal(7, .undecided), Rig.refusal(8, .undecided))
        #expect(Rig.failures(last).map(\.code) == [.undecided])
        _ = rig.turn(after: 200)
        let anew = Rig.stamps(rig.turn(Rig.ready(9)))
        #expect(anew.count == 1)
        #expect(anew[0]!.time < sent[0]!.time && anew[0]!.writer != Rig.writer)
    }

    private func times(_ outputs: [Output]) -> [UInt64?] {
        Rig.stamped(outputs).compactMap { message -> UInt64?? in
            switch message.request {
            case .put(let put): put.now
            case .merge(let merge): merge.now
            default: nil
            }
        }
    }

    private let timestamp = Value.deferred(.timestamp)

    @Test
    func `server timestamps are sent as they are, with a time that the node's clock has reached`() {
        var rig = Rig()
        rig.open()
        let merge = Request(
            RequestID(number: 2), .merge(path("m"), [Write(path: path("a"), value: timestamp)]))
        let sent = rig.turn(after: 50, put(1, timestamp), .asked(merge), put(3))
        #expect(times(sent) == [1_001_049, 1_001_049, nil])
        #expect(
            Rig.messages(sent).first
                == .put(id: 2, path: path("k1"), value: timestamp, now: 1_001_049))
    }

    @Test func `the time of server timestamps does not follow a clock that is ahead of the node's`()
    {
        var rig = Rig()
        rig.open()
        _ = rig.turn(seen(5_000_000))
        let sent = rig.turn(put(1, timestamp))
        #expect(Rig.stamps(sent)[0]!.time > HybridTime(milliseconds: 5_000_000))
        #expect(times(sent) == [1_000_999])
    }

    @Test func `a write keeps its time with its stamp, and gets another one with another stamp`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        #expect(times(rig.turn(put(1, timestamp))) == [1_000_999])
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        #expect(times(rig.turn(Rig.ready(3, at: 1_009_000))) == [1_000_999])
        _ = rig.turn(Rig.refusal(4, .late))
        #expect(times(rig.turn(Rig.ready(5, at: 1_010_000))) == [1_009_999])
    }

    @Test func `a write of another life keeps the time that it was sent with`() {
        var rig = Rig { $0.isPersistent = true }
        rig.open()
        var kept: [UInt64: [UInt8]] = [:]
        for case .persist(let records) in rig.turn(put(1, timestamp)) {
            for case .write(let number, let frame) in records { kept[number] = frame }
        }
        var next = Rig { $0.isPersistent = true }
        _ = next.turn(.restored(kept.map { KeptWrite(number: $0.key, frame: $0.value) }))
        #expect(times(next.turn(Rig.ready(1, at: 1_003_000))) == [1_000_999])
    }

    @Test func `a first try whose stamp is refused is sent again with a new one, in order`() {
        var rig = Rig()
        rig.open()
        let sent = Rig.stamps(rig.turn(put(1), put(2)))
        #expect(Rig.messages(rig.turn(Rig.refusal(2, .late), put(3))) == [])
        let hello = Rig.messages(rig.turn(Rig.refusal(3, .undecided)))
        #expect(hello == [.hello(id: 4, seen: VersionVector())])
        let again = rig.turn(Rig.ready(4))
        let paths = Rig.messages(again).map { message -> Path in
            if case .put(let put) = message.request { put.path } else { .root }
        }
        #expect(paths == [path("k1"), path("k2"), path("k3")])
        #expect(Rig.stamps(again).allSatisfy { $0!.time > sent[1]!.time })
    }

    @Test func `one that may have been done keeps its stamp until it is known not to be`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        let sent = Rig.stamps(rig.turn(put(1, increment)))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        #expect(Rig.stamps(rig.turn(Rig.ready(3))) == sent)
        // The outcome is not known yet: the client asks again after a while, with the same stamp.
        #expect(rig.turn(Rig.refusal(4, .undecided)) == [])
        #expect(Rig.messages(rig.turn(after: 199)) == [])
        #expect(Rig.messages(rig.turn(after: 1)) == [.hello(id: 5, seen: VersionVector())])
        #expect(Rig.stamps(rig.turn(Rig.ready(5))) == sent)
        // Nobody has done it.
        #expect(
            Rig.messages(rig.turn(Rig.refusal(6, .late))) == [.hello(id: 7, seen: VersionVector())])
        let anew = Rig.stamps(rig.turn(Rig.ready(7)))
        #expect(anew.count == 1 && anew != sent)
        #expect(
            rig.turn(.received(NodeMessage.ok(id: 8).frame)).contains(
                .succeeded(RequestID(number: 1), .done)))
    }

    @Test func `a write that no node knows in time fails with an unknown outcome`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"]) { $0.outcomeMilliseconds = 1_000 }
        rig.open()
        _ = rig.turn(put(1, increment))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        _ = rig.turn(Rig.ready(3))
        _ = rig.turn(after: 500, Rig.refusal(4, .undecided))
        _ = rig.turn(after: 900)
        _ = rig.turn(Rig.ready(5))
        let errors = Rig.failures(rig.turn(after: 100, Rig.refusal(6, .undecided)))
        #expect(errors.map(\.code) == [.undecided])
        #expect(errors.map(\.effect) == [.unknown])
    }

    @Test func `a write waits for earlier transactions, whose stamps the node chooses`() {
        var rig = Rig()
        rig.open()
        let transaction = Request(RequestID(number: 1), .transact(path("n")))
        let result = Input.ran(RequestID(number: 1), .value(.integer(1)))
        let sent = rig.turn(.asked(transaction), result, put(2))
        #expect(Rig.stamps(sent).count == 1)
        #expect(Rig.stamps(rig.turn(.received(NodeMessage.ok(id: 3).frame))).count == 1)
    }

    @Test func `the next node learns what was seen, and a node that lags is left`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        _ = rig.turn()
        _ = rig.turn(Rig.ready(1, holding: vector(5, 3)))
        _ = rig.turn(seen(1, vector(6, 1)), seen(1, vector(5, 4)))
        _ = rig.turn(.connectionLost)
        var all = vector(5, 4)
        all[WriterID(bits: 6)] = 1
        #expect(Rig.messages(rig.turn()) == [.hello(id: 2, seen: all)])
        let get = Request(
            RequestID(number: 9), .get(path("a")), patience: .brief(milliseconds: 9_000))
        #expect(rig.turn(Rig.refusal(2, .behind), .asked(get)) == [])
        #expect(rig.turn().first == .connect("tcp://a:1"))
        let errors = Rig.failures(rig.turn(Rig.refusal(3, .behind)))
        #expect(errors.map(\.code) == [.behind])
    }

    @Test func `a frame counts as seen even if one of its messages makes the client leave`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        _ = rig.turn()
        _ = rig.turn(Rig.ready(1), put(1))
        let frame =
            NodeMessage.error(id: 2, code: .unavailable, problem: "p", fix: "f").frame
            + NodeMessage.seen(time: .zero, holds: vector(6, 9)).frame.dropFirst()
        _ = rig.turn(.received(frame))
        #expect(Rig.messages(rig.turn()).first == .hello(id: 3, seen: vector(6, 9)))
    }

    @Test func `the client leaves a node that discards data it has seen`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        _ = rig.turn()
        _ = rig.turn(Rig.ready(1, holding: vector(5, 3)))
        _ = rig.turn(seen(1, vector(6, 2)))
        #expect(rig.turn(Rig.refusal(0, .behind)) == [.disconnected])
        let outputs = rig.turn()
        #expect(outputs.first == .connect("tcp://b:1"))
        var all = vector(5, 3)
        all[WriterID(bits: 6)] = 2
        #expect(Rig.messages(outputs) == [.hello(id: 2, seen: all)])
    }

    @Test func `after a while the client continues without data that no node has`() {
        var rig = Rig { $0.sessionMilliseconds = 1_000 }
        _ = rig.turn()
        _ = rig.turn(Rig.ready(1, holding: vector(5, 3)))
        _ = rig.turn(.connectionLost)
        #expect(Rig.messages(rig.turn()) == [.hello(id: 2, seen: vector(5, 3))])
        _ = rig.turn(Rig.refusal(2, .behind))
        _ = rig.turn(after: 1_000)
        _ = rig.turn(Rig.refusal(3, .behind))
        let hellos = Rig.messages(rig.turn(after: 2_000))
        #expect(hellos == [.hello(id: 4, seen: VersionVector())])
    }

    @Test func `a write of another life keeps the stamp that it was sent with`() {
        var rig = Rig { $0.isPersistent = true }
        rig.open()
        let outputs = rig.turn(put(1, increment))
        let stamps = Rig.stamps(outputs)
        var kept: [UInt64: [UInt8]] = [:]
        for case .persist(let records) in outputs {
            for case .write(let number, let frame) in records { kept[number] = frame }
        }
        var next = Rig { configuration in
            configuration.isPersistent = true
            configuration.writer = WriterID(bits: 78)
        }
        _ = next.turn(.restored(kept.map { KeptWrite(number: $0.key, frame: $0.value) }))
        #expect(Rig.stamps(next.turn(Rig.ready(1))) == stamps)
    }
}

import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The answers that a node may give to writes with a client's stamp.
@Suite struct StampedWritesTests {
    private static func stamp(_ milliseconds: UInt64) -> Stamp {
        Stamp(time: HybridTime(milliseconds: milliseconds), writer: WriterID(bits: 7))
    }

    private static func put(
        _ id: UInt64, _ milliseconds: UInt64, isTransaction: Bool = false
    ) -> ClientMessage {
        .put(
            id: id, path: .root, value: .integer(1),
            condition: isTransaction ? Condition(DataHash(of: .null)) : nil,
            stamp: stamp(milliseconds))
    }

    private static func refusal(_ code: ErrorCode) -> NodeMessage {
        .error(id: 1, code: code, problem: "", fix: "")
    }

    private func sent(_ messages: ClientMessage...) -> StampedWrites {
        var writes = StampedWrites()
        for message in messages { writes.record(message) }
        return writes
    }

    @Test(arguments: [false, true])
    func `nothing is done behind a write whose stamp was refused`(isTransaction: Bool) {
        var writes = sent(Self.put(1, 1), Self.put(2, 2, isTransaction: isTransaction))
        #expect(writes.check(Self.refusal(.late)) == nil)
        #expect(writes.check(.ok(id: 2))?.contains("its write 2 is done") == true)
    }

    @Test func `what came before it is done`() {
        var writes = sent(Self.put(0, 1), Self.put(1, 2))
        #expect(writes.check(Self.refusal(.late)) == nil)
        #expect(writes.check(.ok(id: 0)) == nil)
    }

    @Test func `after a hello all may be done`() {
        var writes = sent(Self.put(1, 1))
        #expect(writes.check(Self.refusal(.late)) == nil)
        let ready = NodeMessage.ready(
            id: 2, member: "n1", wallMilliseconds: 0, time: HybridTime(milliseconds: 0),
            holds: VersionVector())
        #expect(writes.check(ready) == nil)
        writes.record(Self.put(3, 3))
        #expect(writes.check(.ok(id: 3)) == nil)
    }

    @Test func `what an earlier node may have done is confirmed whenever it is sent`() {
        var writes = sent(Self.put(1, 1), Self.put(2, 2))
        writes.loseConnection()
        writes.record(Self.put(1, 1))
        writes.record(Self.put(2, 2))
        #expect(writes.check(Self.refusal(.late)) == nil)
        #expect(writes.check(.ok(id: 2)) == nil)
    }

    @Test func `an outcome is undecided from such an answer until the next hello`() {
        var writes = sent(Self.put(1, 1))
        #expect(writes.check(Self.refusal(.late)) == nil)
        #expect(!writes.isUndecided)
        writes.record(Self.put(1, 1))
        #expect(writes.check(Self.refusal(.undecided)) == nil)
        #expect(writes.isUndecided)
        writes.record(.hello(id: 2, seen: VersionVector()))
        #expect(!writes.isUndecided)
    }
}

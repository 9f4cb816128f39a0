import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The states of a disk that the model permits at the start of a process.
@Suite struct StoreModelTests {
    private let origin = WriterID(bits: 9)

    private func turn(_ number: UInt64, clearsOrphans: Bool = false) -> Turn {
        Turn(
            number: number,
            batches: [LogEntry(origin: origin, first: number, last: number, bytes: [1])],
            properties: [Property(.clockBound, number)], clearsOrphans: clearsOrphans)
    }

    private func bound(_ sequence: UInt64) -> VersionVector {
        var vector = VersionVector()
        vector[origin] = sequence
        return vector
    }

    /// The tables of a store that has committed turns 1 to `count`, but for some rows.
    private func tables(
        _ count: UInt64, without missing: [UInt64] = []
    ) throws -> MemoryTables {
        var store = DurableStore(MemoryTables())
        if count > 0 { try store.commit((1...count).map { turn($0) }) }
        for row in store.tables.allRows(in: .batch) where missing.contains(row.number) {
            store.tables.damage(row, in: .batch, to: nil)
        }
        return store.tables
    }

    /// A model in which turn 1 is reported as durable, and turns 2 and 3 are not.
    private var model: StoreModel {
        var model = StoreModel()
        model.add(.turns([turn(1)]))
        model.settle()
        model.add(.turns([turn(2)]))
        model.add(.turns([turn(3)]))
        return model
    }

    @Test(arguments: [(0, false), (1, true), (2, true), (3, true), (4, false)] as [(UInt64, Bool)])
    func `a start finds what was reported, and a beginning of the rest`(
        count: UInt64, isPermitted: Bool
    ) throws {
        var model = model
        let contradiction = model.recover(try tables(count))
        #expect((contradiction == nil) == isPermitted, "\(contradiction ?? "")")
    }

    @Test func `a start finds no part of a change`() throws {
        var model = model
        #expect(model.recover(try tables(3, without: [2])) != nil)
        #expect(model.gap == "the log of \(origin) goes from 1 to 3")
    }

    @Test func `what a start has found is durable once it is rewritten, and not before`() throws {
        var model = model
        #expect(model.recover(try tables(3)) == nil)
        var rewritten = model
        #expect(model.recover(try tables(2)) == nil)
        rewritten.settle()
        #expect(rewritten.recover(try tables(2)) != nil)
    }

    @Test func `a truncation that is done has left nothing`() {
        var model = StoreModel()
        model.add(.turns((1...20).map { turn($0) }))
        for slice in 1...3 {
            model.begin(.truncate(bound(18)))
            #expect((model.endOfTruncation() == nil) == (slice == 3))
        }
    }

    @Test func `a peer gets batches from the first that it requested, in order`() throws {
        var model = StoreModel()
        model.add(.turns([turn(1), turn(2), turn(3)]))
        let read = LogRead(member: "n2", origin: origin, from: 2, through: 3, byteLimit: 100)
        #expect(model.difference(of: [[1]], for: read) == nil)
        #expect(model.difference(of: [[1], [1]], for: read) == nil)
        #expect(model.difference(of: [], for: read) != nil)
        #expect(model.difference(of: [[1], [1], [1]], for: read) != nil)
    }

    @Test func `orphans are kept once, and leave with the turn that replays them`() throws {
        var model = StoreModel()
        var store = DurableStore(MemoryTables())
        let turns = [turn(1), turn(2)]
        model.add(.turns(turns))
        try store.commit(turns)
        for _ in 1...2 {
            let request = StoreRequest.keepOrphans(origin, after: 1, through: 2)
            model.begin(request)
        }
        #expect(model.difference(of: store.tables, in: [.orphan]) != nil)
        model.add(.turns([turn(3, clearsOrphans: true)]))
        #expect(model.difference(of: store.tables, in: [.orphan]) == nil)
    }
}

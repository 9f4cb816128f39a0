import ClientCore
import DataTree
import Testing

@testable import HearthCommand

@Suite struct `A soak's check` {
    private let records: [SoakRecord]

    init() {
        let works: [SoakRecord.Work] = [
            .push(Key(unchecked: "k0")), .increment, .set, .pair, .set, .push(Key(unchecked: "k5")),
        ]
        records = works.enumerated().map { number, work in
            var record = SoakRecord(
                client: 0, number: number, work: work, invokedMilliseconds: number * 10_000)
            record.complete(.success(.done), at: number * 10_000 + 5)
            return record
        }
    }

    /// The tree that all records make, one after the other.
    private func tree(of records: [SoakRecord]) -> Value {
        var tree = Value.null
        for record in records where record.outcome == .acknowledged {
            let (path, value) = record.writes
            if case .increment = record.work {
                let sum = (tree[path].number ?? .integer(0)) + .integer(1)
                tree.set(sum.value, at: path)
            } else {
                tree.set(value, at: path)
            }
        }
        return tree
    }

    private func violated(
        _ records: [SoakRecord]? = nil, wipes: [Int] = [],
        _ change: (inout Value) -> Void = { _ in }
    ) -> [String] {
        let records = records ?? self.records
        let good = tree(of: records)
        var changed = good
        change(&changed)
        return SoakCheck(
            records: records, trees: [("n1", changed), ("n2", changed)], wipes: wipes
        ).findings.filter { !$0.holds }.map(\.claim)
    }

    private func push(_ name: String) -> Path { SoakPlaces.list.appending(Key(unchecked: name)) }

    @Test func `finds nothing wrong with what is right`() {
        #expect(violated().isEmpty)
    }

    @Test func `misses a push that is gone, unless a disk was lost just then`() {
        let claims = violated { $0.set(.null, at: push("k0")) }
        #expect(claims == ["each acknowledged push is on every node, with its value"])
        #expect(violated(wipes: [1000]) { $0.set(.null, at: push("k0")) }.isEmpty)
        #expect(violated(wipes: [9000]) { $0.set(.null, at: push("k0")) } == claims)
    }

    @Test func `sees a child that nobody pushed, and one with another value`() {
        #expect(violated { $0.set(.integer(1), at: push("k9")) }.count == 1)
        #expect(violated { $0.set(.integer(1), at: push("k5")) }.count == 2)
    }

    @Test func `counts increments, those of unknown outcome once or not`() {
        let claim = ["the counter shows each acknowledged increment once"]
        #expect(violated { $0.set(.integer(2), at: SoakPlaces.counter) } == claim)
        #expect(violated { $0.set(.null, at: SoakPlaces.counter) } == claim)
        var unknown = SoakRecord(
            client: 0, number: 6, work: .increment, invokedMilliseconds: 60_000)
        unknown.complete(
            .failure(HearthError(.closed, "closed", fix: "none", effect: .unknown)), at: 60_001)
        let more = records + [unknown]
        #expect(violated(more).isEmpty)
        #expect(violated(more) { $0.set(.integer(2), at: SoakPlaces.counter) }.isEmpty)
        #expect(violated(more) { $0.set(.integer(3), at: SoakPlaces.counter) } == claim)
    }

    @Test func `sees an older write over a newer one`() {
        let claims = violated { $0.set(.integer(2), at: SoakPlaces.own(0)) }
        #expect(claims == ["no older write of a client stands over a newer one"])
    }

    @Test func `sees half of an update`() {
        let half = SoakPlaces.pair(0).appending(Key(unchecked: "a"))
        #expect(
            violated { $0.set(.null, at: half) }
                == ["what was written together is there together"])
    }

    @Test func `sees nodes that differ`() {
        let good = tree(of: records)
        let findings = SoakCheck(
            records: records, trees: [("n1", good), ("n2", .null)], wipes: []
        ).findings
        #expect(findings.first?.holds == false)
    }
}

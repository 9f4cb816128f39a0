import ClientCore
import DataTree
import Testing

@testable import SimulatorCommand

/// A claim that does not hold. Equal ones have the same claim; a failed expectation prints the details, too.
private struct Violation: Equatable, ExpressibleByStringLiteral, CustomTestStringConvertible {
    let claim: String
    let details: String

    init(_ finding: SoakCheck.Finding) { (claim, details) = (finding.claim, finding.details) }
    init(stringLiteral claim: String) { (self.claim, details) = (claim, "") }

    static func == (a: Violation, b: Violation) -> Bool { a.claim == b.claim }

    var testDescription: String { details.isEmpty ? claim : "\(claim): \(details)" }
}

@Suite struct `A soak's check` {
    private let records: [SoakRecord]
    /// The client reads its own place after each of its sets, which have the numbers 2 and 4.
    private let reads = [
        SoakRead(client: 0, invokedMilliseconds: 25_000, completedMilliseconds: 25_003, found: 2),
        SoakRead(client: 0, invokedMilliseconds: 45_000, completedMilliseconds: 45_003, found: 4),
    ]

    init() {
        let works: [SoakRecord.Work] = [
            .push(Key(unchecked: "k0")), .increment, .set, .pair, .set, .push(Key(unchecked: "k5")),
        ]
        records = works.enumerated().map { number, work in
            var record = SoakRecord(
                client: 0, node: "n1", number: number, work: work,
                invokedMilliseconds: number * 10_000)
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
        _ records: [SoakRecord]? = nil, reads: [SoakRead]? = nil, wipes: [SoakCheck.Wipe] = [],
        _ change: (inout Value) -> Void = { _ in }
    ) -> [Violation] {
        let records = records ?? self.records
        let good = tree(of: records)
        var changed = good
        change(&changed)
        return SoakCheck(
            records: records, reads: reads ?? self.reads,
            trees: [("n1", changed), ("n2", changed)], wipes: wipes
        ).findings.filter { !$0.holds }.map(Violation.init)
    }

    private func push(_ name: String) -> Path { SoakPlaces.list.appending(Key(unchecked: name)) }

    @Test func `finds nothing wrong with what is right`() {
        #expect(violated().isEmpty)
    }

    private func claims(after milliseconds: Int, _ node: String) -> [Violation] {
        violated(wipes: [.init(node: node, milliseconds: milliseconds)]) {
            $0.set(.null, at: push("k0"))
        }
    }

    @Test func `misses a push that is gone, unless its node has lost its disk just then`() {
        let claims = violated { $0.set(.null, at: push("k0")) }
        #expect(claims == ["each acknowledged push is on every node, with its value"])
        #expect(self.claims(after: 1000, "n1").isEmpty)
        #expect(self.claims(after: 1000, "n2") == claims)
        #expect(self.claims(after: 4, "n1") == claims)
        #expect(self.claims(after: 9000, "n1") == claims)
    }

    @Test func `lets nothing be lost that most nodes have acknowledged`() {
        var record = SoakRecord(
            client: 1, node: nil, number: 0, work: .push(Key(unchecked: "k9")),
            invokedMilliseconds: 0)
        record.complete(.success(.done), at: 5)
        let wipes = ["n1", "n2"].map { SoakCheck.Wipe(node: $0, milliseconds: 100) }
        let claims = violated(records + [record], wipes: wipes) { $0.set(.null, at: push("k9")) }
        #expect(claims == ["each acknowledged push is on every node, with its value"])
    }

    @Test func `is not content where there was nothing to look at`() {
        #expect(violated([]).count == 7)
        #expect(violated(reads: []).count == 2)
        #expect(violated(records.filter { $0.number != 3 }).count == 1)
    }

    @Test func `sees a child that nobody pushed, and one with another value`() {
        #expect(violated { $0.set(.integer(1), at: push("k9")) }.count == 1)
        #expect(violated { $0.set(.integer(1), at: push("k5")) }.count == 2)
    }

    @Test func `counts increments, those of unknown outcome once or not`() {
        let claim: [Violation] = ["the counter shows each acknowledged increment once"]
        #expect(violated { $0.set(.integer(2), at: SoakPlaces.counter) } == claim)
        #expect(violated { $0.set(.null, at: SoakPlaces.counter) } == claim)
        var unknown = SoakRecord(
            client: 0, node: nil, number: 6, work: .increment, invokedMilliseconds: 60_000)
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

    @Test func `sees an update that is gone, or an older one`() {
        let claim: [Violation] = ["no older write of a client stands over a newer one"]
        let sides = SoakPlaces.sides.map { SoakPlaces.pair(0).appending($0) }
        let older = violated { tree in
            for side in sides { tree.set(.integer(2), at: side) }
        }
        #expect(older == claim)
        let gone = violated { $0.set(.null, at: SoakPlaces.pair(0)) }
        #expect(gone == claim + ["what was written together is there together"])
    }

    @Test func `sees half of an update`() {
        let half = SoakPlaces.pair(0).appending(Key(unchecked: "a"))
        #expect(
            violated { $0.set(.null, at: half) }
                == [
                    "no older write of a client stands over a newer one",
                    "what was written together is there together",
                ])
    }

    private func read(_ found: Int?, from invoked: Int, to completed: Int) -> SoakRead {
        SoakRead(
            client: 0, invokedMilliseconds: invoked, completedMilliseconds: completed, found: found)
    }

    @Test func `sees a read that lacks what its client wrote before`() {
        let claim: Violation = "a client that moves reads what it wrote, at any node"
        #expect(violated(reads: [reads[0], read(2, from: 45_000, to: 45_003)]) == [claim])
        #expect(violated(reads: [reads[0], read(nil, from: 26_000, to: 26_003)]).contains(claim))
        // The write was under way then: both are right.
        let meanwhile = [reads[0], read(2, from: 40_002, to: 40_009), reads[1]]
        #expect(violated(reads: meanwhile).isEmpty)
    }

    @Test func `sees a read that shows less than the one before`() {
        let claim: Violation = "no read of such a client shows less than the one before"
        var records = records
        records[4].outcome = .unknown
        let claims = violated(records, reads: [reads[1], read(2, from: 46_000, to: 46_003)]) {
            $0.set(.integer(4), at: SoakPlaces.own(0))
        }
        #expect(claims == [claim])
        let sideBySide = [reads[0], reads[1], read(2, from: 45_001, to: 45_009)]
        #expect(violated(records, reads: sideBySide).isEmpty)
    }

    @Test func `sees nodes that differ`() {
        let good = tree(of: records)
        let findings = SoakCheck(
            records: records, reads: reads, trees: [("n1", good), ("n2", .null)], wipes: []
        ).findings
        #expect(findings.first?.holds == false, "\(findings)")
    }
}

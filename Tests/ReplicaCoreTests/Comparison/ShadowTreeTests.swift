import Convergence
import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct ShadowTreeTests {
    private let origins = [WriterID(bits: 1), WriterID(bits: 2), WriterID(bits: 3)]

    /// Operations arrive, some before the copy and some after it; the vector has any that arrive after it.
    private func failure(_ random: inout Generator, priorities: Bool) -> String? {
        let mix = Mix.draw(&random, priorities: priorities)
        var arrivals = (0..<8).map { index in
            (
                origin: origins[Int.random(in: 0..<3, using: &random)],
                operation: mix.operation(&random, stamp: index + 1, depth: 3)
            )
        }
        arrivals.shuffle(using: &random)
        let start = Int.random(in: 0...8, using: &random)
        let unshown = Int.random(in: 0...start, using: &random)
        var (tree, vector) = (ConvergentTree(), VersionVector())
        for (index, arrival) in arrivals[..<start].enumerated() {
            vector[arrival.origin] += 1
            if index < unshown { _ = tree.apply(arrival.operation) }
        }
        var shadow = ShadowTree(
            of: tree, holding: vector, unshown: arrivals[unshown..<start].map(\.operation))
        var agreed = vector
        var wanted = arrivals[..<start].map(\.operation)
        for arrival in arrivals[start...] {
            _ = tree.apply(arrival.operation)
            shadow.record(arrival.operation, of: arrival.origin)
            vector[arrival.origin] += 1
            // Those of an origin without a gap.
            if agreed[arrival.origin] + 1 == vector[arrival.origin], random.chance(0.5) {
                agreed[arrival.origin] += 1
                wanted.append(arrival.operation)
            }
        }
        let want = SequentialExecution.value(after: wanted)
        return shadow.digest(at: agreed) == TreeDigest(of: want) ? nil : "\(arrivals), \(wanted)"
    }

    @Test(arguments: [false, true])
    func `a digest is that of the operations of a vector`(priorities: Bool) {
        var random = Generator(seed: priorities ? 32 : 31)
        for number in 0..<3_000 {
            if let failure = failure(&random, priorities: priorities) {
                Issue.record("case \(number): \(failure)")
                return
            }
        }
    }

    private func operation(_ number: Int, writes: Int) -> SyncProtocol.Operation {
        SyncProtocol.Operation(
            stamp: Stamp(time: HybridTime(milliseconds: UInt64(number)), writer: origins[0]),
            writes: (0..<writes).map {
                Write(
                    path: Path([Key(unchecked: "k\(number)"), Key(unchecked: "\($0)")]), value: 1)
            })
    }

    @Test func `many operations are applied in several turns`() {
        var (tree, vector) = (ConvergentTree(), VersionVector())
        var shadow = ShadowTree(of: tree, holding: vector, unshown: [])
        for number in 1...3 {
            shadow.record(operation(number, writes: 400), of: origins[0])
            _ = tree.apply(operation(number, writes: 400))
            vector[origins[0]] += 1
        }
        #expect(shadow.digest(at: vector) == nil)
        #expect(shadow.digest(at: vector) == nil)
        #expect(shadow.digest(at: vector) == TreeDigest(of: tree.value))
    }

    @Test func `a copy with too many operations is full, and records no more`() {
        var shadow = ShadowTree(of: ConvergentTree(), holding: VersionVector(), unshown: [])
        let large = operation(1, writes: 1_000)
        for _ in 0..<100 { shadow.record(large, of: origins[0]) }
        #expect(!shadow.isFull)
        shadow.record(large, of: origins[0])
        #expect(shadow.isFull)
    }
}

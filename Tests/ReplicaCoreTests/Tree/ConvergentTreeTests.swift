import Convergence
import DataTree
import SyncProtocol
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// The convergent tree against the oracle, in the universes of the executable model.
@Suite struct ConvergentTreeTests {
    /// Random cases in a normal run; `HEARTH_CONVERGENCE_CASES` asks for a longer one.
    static let randomCases =
        getenv("HEARTH_CONVERGENCE_CASES").flatMap { Int(String(cString: $0)) }
        ?? 200_000

    @Test func `all sequences of three operations agree in every order of arrival`() {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let letters = Universe.alphabet
        var cases = 0
        for first in letters {
            for second in letters {
                for third in letters {
                    let operations = [first, second, third].enumerated().map {
                        Operation(stamp: Universe.stamp($0 + 1), writes: $1)
                    }
                    var wanted: [Int: Value] = [:]
                    for order in orders {
                        cases += 1
                        var tree = ConvergentTree()
                        var held = 0
                        var before = Value.null
                        for index in order {
                            let changes = tree.apply(operations[index])
                            held |= 1 << index
                            let want =
                                wanted[held]
                                ?? SequentialExecution.value(
                                    after: (0..<3).filter { held >> $0 & 1 == 1 }.map {
                                        operations[$0]
                                    })
                            wanted[held] = want
                            guard tree.value == want,
                                ArrivalCheck.failure(in: changes, from: before, to: want) == nil
                            else {
                                let arrivals = order.map { operations[$0] }
                                let failure = ArrivalCheck.firstFailure(arrivals) ?? "not repeated"
                                Issue.record("\(arrivals): \(failure)")
                                return
                            }
                            before = want
                        }
                    }
                }
            }
        }
        #expect(cases == 750_000)
    }

    @Test(arguments: [1, 2, 3, 4])
    func `random operations agree after every arrival`(seed: UInt64) {
        run(seed: seed, cases: Self.randomCases / 4) { random, mix in
            (2...Int.random(in: 2...7, using: &random)).map { $0 }.indices.map {
                mix.operation(&random, stamp: $0 + 1, depth: 3)
            }
        }
    }

    @Test func `deep trees with many operations agree`() {
        run(seed: 5, cases: Self.randomCases / 20) { random, mix in
            (0..<Int.random(in: 2...14, using: &random)).map {
                mix.operation(&random, stamp: $0 + 1, depth: 5)
            }
        }
    }

    @Test(arguments: [
        [(1, "a/x", 1), (2, "a/.priority", 7), (3, "a/x", .null)],
        [(2, "a", (["x": 1] as Value).prioritized(7)), (3, "a/x", .null)],
    ])
    func `a hidden priority leaves no register once its location shows`(
        hiding: [(Int, String, Value)]
    ) {
        for isStable in [false, true] {
            for between in [[], [(4, "a/.priority", 8 as Value)]] {
                var tree = ConvergentTree()
                func write(_ stamp: Int, _ path: String, _ value: Value) {
                    _ = tree.apply(
                        Operation(
                            stamp: Universe.stamp(stamp),
                            writes: [Write(path: Universe.path(path), value: value)]))
                }
                for (stamp, path, value) in hiding { write(stamp, path, value) }
                if isStable { tree.forget(through: Universe.stamp(3)) }
                for (stamp, path, value) in between { write(stamp, path, value) }
                write(5, "a/y", 2)
                tree.forget(through: Universe.stamp(5))
                #expect(tree.value[Universe.path("a")].priority == (between.isEmpty ? 7 : 8))
                #expect(tree.registerCount == 0)
            }
        }
    }

    @Test func `priorities agree`() {
        run(seed: 6, cases: Self.randomCases / 4, priorities: true) { random, mix in
            (0..<Int.random(in: 2...6, using: &random)).map {
                mix.operation(&random, stamp: $0 + 1, depth: 2)
            }
        }
    }

    @Test(arguments: [false, true])
    func `forgetting what is stable changes nothing and leaves nothing`(priorities: Bool) {
        var random = Generator(seed: priorities ? 8 : 7)
        for number in 0..<Self.randomCases / 4 {
            let mix = Mix.draw(&random, priorities: priorities)
            let operations = (0..<Int.random(in: 2...7, using: &random)).map {
                mix.operation(&random, stamp: $0 + 1, depth: 3)
            }
            let arrivals = nearlyInOrder(operations, &random)
            let seed = random.next()
            let fails = { (arrivals: [Operation]) in
                ArrivalCheck.firstFailure(arrivals, stableTimes: Generator(seed: seed)) != nil
            }
            guard fails(arrivals) else { continue }
            let few = ArrivalCheck.shrink(arrivals, fails)
            let failure = ArrivalCheck.firstFailure(few, stableTimes: Generator(seed: seed))
            Issue.record("case \(number): \(few): \(failure ?? "")")
            return
        }
    }

    private func nearlyInOrder(
        _ operations: [Operation], _ random: inout Generator
    ) -> [Operation] {
        var arrivals = operations
        for _ in 0..<random.pick([0, 0, 1, 2]) { arrivals.append(random.pick(operations)) }
        guard random.chance(0.7) else { return arrivals.shuffled(using: &random) }
        let keyed = arrivals.map { operation in
            (
                Double(operation.stamp.time.bits) + Double.random(in: 0..<4, using: &random),
                operation
            )
        }
        return keyed.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func run(
        seed: UInt64, cases: Int, priorities: Bool = false,
        _ draw: (inout Generator, Mix) -> [Operation]
    ) {
        var random = Generator(seed: seed)
        for number in 0..<cases {
            let mix = Mix.draw(&random, priorities: priorities)
            let operations = draw(&random, mix)
            var arrivals = operations
            for _ in 0..<random.pick([0, 0, 1, 2]) { arrivals.append(random.pick(operations)) }
            arrivals.shuffle(using: &random)
            guard ArrivalCheck.firstFailure(arrivals) != nil else { continue }
            let few = ArrivalCheck.shrink(arrivals) { ArrivalCheck.firstFailure($0) != nil }
            Issue.record("case \(number): \(few): \(ArrivalCheck.firstFailure(few) ?? "")")
            return
        }
    }
}

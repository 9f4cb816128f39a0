/// The runs that a command wants: the seeds of one scenario after the other, or new seeds of all of them by turns.
struct SeedPlan: Sendable {
    /// One run.
    struct Item: Equatable, Sendable {
        /// The position of its scenario in the plan.
        var scenario: Int
        var seed: UInt64
        /// Whether it is run twice, to prove that it is the same both times.
        var isRepeated: Bool
    }

    /// One run of so many is repeated.
    static let repetition = 20

    private enum Source {
        case ranges([ClosedRange<UInt64>])
        case list([UInt64])
        case endless(scenarios: Int, first: UInt64)
    }

    private let source: Source
    private var scenario = 0
    private var offset: UInt64 = 0
    private var count = 0

    /// The seeds of each scenario in order.
    init(_ ranges: [ClosedRange<UInt64>]) { source = .ranges(ranges) }

    /// Seeds from a first one on, each with every scenario, without end.
    init(scenarios: Int, from first: UInt64) {
        source = .endless(scenarios: scenarios, first: first)
    }

    /// These seeds of one scenario.
    init(list seeds: [UInt64]) { source = .list(seeds) }

    /// How many runs there are; nil if they have no end.
    var total: Int? {
        switch source {
        case .endless: return nil
        case .list(let seeds): return seeds.count
        case .ranges(let ranges):
            let counts = ranges.map { $0.upperBound - $0.lowerBound }
            return counts.reduce(0) { $0 + Int(clamping: min($1, 1 << 40)) + 1 }
        }
    }

    /// The next run; nil at the end.
    mutating func next() -> Item? {
        guard let place else { return nil }
        defer { count += 1 }
        let isRepeated = count.isMultiple(of: SeedPlan.repetition) && total != 1
        return Item(scenario: place.scenario, seed: place.seed, isRepeated: isRepeated)
    }

    private var place: (scenario: Int, seed: UInt64)? {
        mutating get {
            switch source {
            case .endless(let scenarios, let first):
                return (count % scenarios, first &+ UInt64(count / scenarios))
            case .list(let seeds): return count < seeds.count ? (0, seeds[count]) : nil
            case .ranges(let ranges):
                while scenario < ranges.count {
                    let range = ranges[scenario]
                    if offset <= range.upperBound - range.lowerBound {
                        defer { offset += 1 }
                        return (scenario, range.lowerBound + offset)
                    }
                    scenario += 1
                    offset = 0
                }
                return nil
            }
        }
    }
}

public import Marks
import ReplicaCore

/// Chooses the next seeds of a swarm by the rare paths that earlier ones have reached.
///
/// Seeds come in generations. One half of each is new. The other half are children of seeds that
/// reached the rarest paths: the upper half of a child's number is its parent, of whose settings it
/// has three in four. The first seed determines everything, however many threads run a generation.
public struct SeedGuide: Sendable {
    /// The seeds of one generation.
    public static let generation = 64
    /// How many seeds are remembered of each path.
    private static let parentLimit = 8

    private var nextNew: UInt64
    private var random: SplitMix64
    /// By mark: in how many runs it was reached, and the first parents that did.
    private var runs = [Int](repeating: 0, count: Mark.allCases.count)
    private var parents = [[UInt64]](repeating: [], count: Mark.allCases.count)

    /// A guide that knows nothing yet.
    public init(first seed: UInt64) {
        nextNew = max(1, seed & 0xFFFF_FFFF)
        random = SplitMix64(seed: seed, part: 9)
    }

    /// Learns what a seed has reached; of the seeds of a generation, in their order.
    public mutating func learn(_ seed: UInt64, reached marks: MarkCounts) {
        let parent = seed >> 32 == 0 ? seed : seed >> 32
        for mark in marks.reached {
            runs[mark.rawValue] += 1
            if parents[mark.rawValue].count < SeedGuide.parentLimit,
                !parents[mark.rawValue].contains(parent)
            {
                parents[mark.rawValue].append(parent)
            }
        }
    }

    /// The seeds to run next.
    public mutating func nextGeneration() -> [UInt64] {
        let rare = rarest
        return (0..<SeedGuide.generation).map { index in
            defer { nextNew += 1 }
            let own = nextNew & 0xFFFF_FFFF
            guard !rare.isEmpty, !index.isMultiple(of: 2) else { return own }
            let candidates = parents[rare[random.index(below: rare.count)].rawValue]
            return candidates[random.index(below: candidates.count)] << 32 | own
        }
    }

    /// The rarer third of the paths that any seed has reached.
    private var rarest: [Mark] {
        let reached = Mark.allCases.filter { runs[$0.rawValue] > 0 }
        let ordered = reached.sorted {
            (runs[$0.rawValue], $0.rawValue) < (runs[$1.rawValue], $1.rawValue)
        }
        return Array(ordered.prefix((ordered.count + 2) / 3))
    }
}

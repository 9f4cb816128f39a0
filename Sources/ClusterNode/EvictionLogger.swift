internal import SyncProtocol

/// Logs the stages of evictions, the node's own included.
///
/// A running node may be evicted and rejoin between two calls: each stage in between gets its line.
struct EvictionLogger {
    private let own: String
    private var known: [Eviction]
    private var hasToldOwn = false

    /// - Parameter known: Evictions that the replica recovered, which need no line.
    init(of member: String, knowing known: [Eviction]) {
        own = member
        self.known = known
    }

    /// The lines for stages since the last call.
    ///
    /// - Parameter isOut: Whether this node knows that it is evicted, which it may before its own list shows it.
    mutating func lines(for evictions: [Eviction], isOut: Bool) -> [String] {
        var lines: [String] = []
        if isOut { tellOwn(.out, &lines) }
        for eviction in evictions {
            let last = known.first {
                $0.member == eviction.member && $0.writer == eviction.writer
            }
            for stage in Eviction.Stage.allCases
            where stage <= eviction.stage && last.map({ stage > $0.stage }) ?? true {
                if eviction.member == own {
                    tellOwn(stage, &lines)
                } else {
                    lines.append(EvictionLogger.line(for: stage, of: eviction.member))
                }
            }
        }
        known = evictions
        return lines
    }

    private mutating func tellOwn(_ stage: Eviction.Stage, _ lines: inout [String]) {
        switch stage {
        case .wanted, .over: break
        case .out:
            if hasToldOwn { return }
            hasToldOwn = true
            lines.append(
                "was evicted: accepts no writes until it has installed a peer's checkpoint and rejoined"
            )
        case .back:
            hasToldOwn = false
            lines.append("has rejoined after its eviction, and accepts writes")
        }
    }

    private static func line(for stage: Eviction.Stage, of member: String) -> String {
        switch stage {
        case .wanted: "votes to evict \(member)"
        case .out: "\(member) is evicted: more than half of the nodes voted for it"
        case .back: "\(member) has rejoined after its eviction"
        case .over: "\(member) has replayed its orphaned operations"
        }
    }
}

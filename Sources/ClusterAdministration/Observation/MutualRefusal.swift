internal import SyncProtocol

/// Two nodes that refuse each other's checkpoints, since each would lose operations: neither gets what it misses until
/// one of the two is evicted.
struct MutualRefusal {
    /// A node, and how many operations only its checkpoint has.
    private typealias Node = (name: String, count: Int)

    private let first: Node
    private let second: Node

    /// Nil unless each refuses the checkpoint of the other.
    private init?(_ first: ObservedNode, _ second: ObservedNode) {
        let (a, b) = (first.node.id, second.node.id)
        guard let firstCount = first.report?.exchange.refusedCheckpoints[b],
            let secondCount = second.report?.exchange.refusedCheckpoints[a]
        else { return nil }
        (self.first, self.second) = ((a, firstCount), (b, secondCount))
    }

    /// The pairs that refuse each other both times: a node may refuse a checkpoint, and install a newer one.
    static func all(in statuses: [ObservedNode], later: [ObservedNode]) -> [MutualRefusal] {
        statuses.indices.flatMap { a in
            statuses.indices.dropFirst(a + 1).compactMap { b in
                MutualRefusal(statuses[a], statuses[b]) == nil
                    ? nil : MutualRefusal(later[a], later[b])
            }
        }
    }

    var finding: Diagnosis.Finding {
        // The eviction of the one that has less costs less.
        let evicted = second.count > first.count ? first.name : second.name
        return .init(
            severity: .error, node: first.name,
            problem:
                "and \(second.name) refuse each other's checkpoints for ever: each has operations that "
                + "the other lacks and that its own log no longer has (\(first.name) \(first.count), "
                + "\(second.name) \(second.count))",
            fix:
                "`hearth cluster evict \(evicted)`: it rejoins with the data of the others, replays what "
                + "its log has, and keeps a copy of its database as backups/evicted-TIME.sqlite, for "
                + "what only its checkpoint has"
        )
    }
}

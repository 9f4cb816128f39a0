import SyncProtocol

/// What nodes have bound themselves to by their heartbeats.
struct Announcements {
    /// The first heartbeat of a node that shows its vote in a term.
    struct Vote {
        let holder: WriterID
        /// What the voter held.
        let vector: VersionVector
        /// The latest stamp that it had allowed to earlier coordinators.
        let formerCeiling: HybridTime
    }

    /// From some operation on, a node makes none up to a time.
    struct Closing {
        /// How many operations there were of all nodes.
        let operations: Int
        let time: HybridTime
    }

    /// By term, then by node.
    private(set) var votes: [UInt64: [Int: Vote]] = [:]
    /// The nodes that have ever been candidates.
    private(set) var candidates: Set<Int> = []
    /// By node, each ascending in both.
    private(set) var closings: [Int: [Closing]] = [:]

    mutating func note(_ heartbeat: Heartbeat, of node: Int, atOperation count: Int) {
        if heartbeat.closedTimestamp > closings[node]?.last?.time ?? .zero {
            closings[node, default: []].append(
                Closing(operations: count, time: heartbeat.closedTimestamp))
        }
        if let lease = heartbeat.lease, lease.holder == heartbeat.writer { candidates.insert(node) }
        guard let lease = heartbeat.lease, votes[lease.term]?[node] == nil else { return }
        votes[lease.term, default: [:]][node] = Vote(
            holder: lease.holder, vector: heartbeat.vector, formerCeiling: lease.formerCeiling)
    }

    /// Up to when a node had said that it makes no more operations, when there were so many.
    func closed(by node: Int, atOperation count: Int) -> HybridTime {
        (closings[node] ?? [])[...].split { $0.operations > count }.before.last?.time ?? .zero
    }
}

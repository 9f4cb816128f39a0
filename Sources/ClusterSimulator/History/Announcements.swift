import SyncProtocol

/// The promises of nodes in their heartbeats.
struct Announcements {
    /// The first heartbeat of a node that shows its vote in a term.
    struct Vote {
        let holder: WriterID
        /// The operations that the voter held.
        let vector: VersionVector
        /// The latest stamp that it says it had allowed to earlier coordinators.
        let formerCeiling: HybridTime
        /// The latest stamp that its heartbeats had allowed to those that may still decide.
        let allowed: HybridTime
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
    /// By node, up to when it has allowed each candidate to stamp, as it said last.
    private var allowances: [Int: [WriterID: HybridTime]] = [:]
    private var writers: [Int: WriterID] = [:]
    /// The writers that make no more operations, as members know that may have lowered what they allowed.
    private var ended: Set<WriterID> = []

    mutating func record(_ heartbeat: Heartbeat, of node: Int, atOperation count: Int) {
        if heartbeat.closedTimestamp > closings[node]?.last?.time ?? .zero {
            closings[node, default: []].append(
                Closing(operations: count, time: heartbeat.closedTimestamp))
        }
        if let lease = heartbeat.lease, lease.holder == heartbeat.writer { candidates.insert(node) }
        noteEnds(in: heartbeat, of: node)
        guard let lease = heartbeat.lease else { return }
        defer { allowances[node, default: [:]][lease.holder] = lease.ceiling }
        guard votes[lease.term]?[node] == nil else { return }
        let allowed = (allowances[node] ?? [:]).filter { !ended.contains($0.key) }.values.max()
        votes[lease.term, default: [:]][node] = Vote(
            holder: lease.holder, vector: heartbeat.vector, formerCeiling: lease.formerCeiling,
            allowed: allowed ?? .zero)
    }

    private mutating func noteEnds(in heartbeat: Heartbeat, of node: Int) {
        for eviction in heartbeat.evictions where eviction.stage >= .out {
            if let writer = eviction.writer { end(writer) }
        }
        let last = writers.updateValue(heartbeat.writer, forKey: node)
        if let last, last != heartbeat.writer { end(last) }
    }

    /// Members learn that a writer makes no more operations.
    mutating func end(_ writer: WriterID) { ended.insert(writer) }

    /// Up to when a node had said that it makes no more operations, when there were so many.
    func closed(by node: Int, atOperation count: Int) -> HybridTime {
        (closings[node] ?? [])[...].split { $0.operations > count }.before.last?.time ?? .zero
    }
}

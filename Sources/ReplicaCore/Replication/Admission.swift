import SyncProtocol

// Writes that carry the stamp of their client are done once, however often and at however many nodes the client
// asks for them: two operations with one stamp are one, in every tree.

/// What a replica does with a write that a client has stamped.
enum Admission: Equatable {
    case admitted
    case done
    /// The stamp is that of a node.
    case notOfClient
    /// The stamp is too old, or too far ahead.
    case refused(problem: String)
}

extension Replication {
    /// How far ahead of this replica's clock a stamp may be; clients follow the nodes' clocks.
    static let aheadLimitMilliseconds: UInt64 = 10_000

    /// What becomes of a write with this stamp.
    func admission(of stamp: Stamp) -> Admission {
        guard isClient(stamp.writer) else { return .notOfClient }
        if deduplicationTable.answer(for: stamp) == .done { return .done }
        let (member, shown) = (configuration.member, clock.last.milliseconds)
        if stamp.time <= closedTimestamp.time {
            return .refused(
                problem: "\(member) takes no stamps any more of \(stamp.time.milliseconds) ms and "
                    + "earlier, its clock shows \(shown) ms")
        }
        let newest = max(shown, now.wallMilliseconds)
        if stamp.time.milliseconds > newest + Replication.aheadLimitMilliseconds {
            return .refused(
                problem: "the stamp is of \(stamp.time.milliseconds) ms, \(member)'s clock shows "
                    + "\(newest) ms")
        }
        return .admitted
    }

    /// Whether a writer is none of the nodes.
    func isClient(_ writer: WriterID) -> Bool {
        vector[writer] == 0 && !peers.writers.contains(writer)
    }

    /// Whether it is known that no node has done what has this stamp, and none will.
    ///
    /// Until an evicted member has rejoined and replayed its orphaned operations, it may still do so.
    func isDecided(_ stamp: Stamp) -> Bool {
        stamp.time <= stableTime && deduplicationTable.answer(for: stamp) == .notDone
            && !peers.evictions.isAnythingOpen
    }
}

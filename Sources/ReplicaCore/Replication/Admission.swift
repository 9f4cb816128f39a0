import SyncProtocol

// A write with a client's stamp is done once, however often and at however many nodes the client requests it:
// in every tree, two operations with one stamp are one.

/// The decision on a write with a client's stamp.
enum Admission: Equatable {
    case admitted
    case done
    /// The stamp is a node's.
    case notOfClient
    /// The stamp is too old, or too far ahead.
    case refused(problem: String)
}

extension Replication {
    /// The decision about a write with this stamp.
    ///
    /// - Parameters:
    ///   - time: The time of its server timestamps, if it has some.
    ///   - node: This node, as the client may know it.
    func admission(
        of stamp: Stamp, now time: UInt64? = nil, at node: String = "this node"
    ) -> Admission {
        guard isClient(stamp.writer) else { return .notOfClient }
        if deduplicationTable.answer(for: stamp) == .done { return .done }
        let shown = clock.last.milliseconds
        // While the closed timestamp waits for a silent node, clients have no longer time than otherwise.
        let closed = max(
            closedTimestamp.time,
            clock.last.earlier(byMilliseconds: closedTimestamp.lagMilliseconds + 1_000))
        if stamp.time <= closed {
            return .refused(
                problem: "\(node) no longer accepts stamps of \(stamp.time.milliseconds) ms and "
                    + "earlier; its clock shows \(shown) ms")
        }
        let newest = max(shown, now.wallMilliseconds)
        if stamp.time.milliseconds > newest + StampClock.aheadLimitMilliseconds {
            return .refused(
                problem: "the stamp is \(stamp.time.milliseconds) ms, but the clock of \(node) "
                    + "shows \(newest) ms")
        }
        guard let time, let problem = problem(withNow: time, at: node) else { return .admitted }
        return .refused(problem: problem)
    }

    /// Whether a writer is not a node.
    func isClient(_ writer: WriterID) -> Bool {
        vector[writer] == 0 && !peers.writers.contains(writer)
    }

    /// Whether it is certain that no node has done a write with this stamp, and none will.
    ///
    /// An evicted member that rejoins may still do so until it has replayed its orphaned operations.
    func isDecided(_ stamp: Stamp) -> Bool {
        stamp.time <= stableTime && deduplicationTable.answer(for: stamp) == .notDone
            && !peers.evictions.isAnythingOpen
    }
}

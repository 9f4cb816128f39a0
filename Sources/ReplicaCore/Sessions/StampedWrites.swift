import SyncProtocol

// Writes that carry the stamp of their client, so that they are done once, however often and at
// however many nodes they are asked for.
//
// Two operations with one stamp are one, in every tree; and what a client asks for behind something
// that was refused is refused, so that of what it asked for at a node the first part is done.

extension Replica {
    /// How far ahead of this replica's clock a stamp may be; clients follow the nodes' clocks.
    static let aheadLimitMilliseconds: UInt64 = 10_000

    /// Whether what has this stamp is to be done now; answers it otherwise.
    mutating func isDue(
        _ stamp: Stamp, _ id: UInt64, _ session: SessionID, _ concern: WriteConcern?
    ) -> Bool {
        guard isClient(stamp.writer) else {
            refuseWriter(stamp.writer, id, session)
            return false
        }
        if deduplicationTable.answer(for: stamp) == .done {
            counters.repeated += 1
            // Where else it is durable, nobody here knows.
            let answer: NodeMessage =
                concern == nil ? .ok(id: id) : .acknowledged(id: id, concern: .local)
            outbox.append(answer, to: session)
            return false
        }
        if let failure = failure(in: stamp, of: session) {
            clientSessions.halt(session)
            let isDecided = isDecided(stamp)
            refuse(
                isDecided ? .late : .undecided, failure,
                fix: isDecided
                    ? "send \"hello\", then the write with a new stamp"
                    : "send \"hello\", then the write again with the same stamp",
                id, session)
            return false
        }
        return true
    }

    /// Whether a writer is none of the nodes.
    func isClient(_ writer: WriterID) -> Bool {
        vector[writer] == 0 && !peers.writers.contains(writer)
    }

    mutating func refuseWriter(_ writer: WriterID, _ id: UInt64, _ session: SessionID) {
        refuse(
            .invalid, "\(writer) is the writer of a node",
            fix: "draw another number for this client", id, session)
    }

    static let haltedFailure = "a write before this one was refused because of its stamp"

    private func failure(in stamp: Stamp, of session: SessionID) -> String? {
        if clientSessions.isHalted(session) {
            return Replica.haltedFailure
        }
        if stamp.time <= closedTimestamp {
            return "\(configuration.member) takes no stamps any more of \(stamp.time.milliseconds) "
                + "ms and earlier, its clock shows \(clock.last.milliseconds) ms"
        }
        let newest = max(clock.last.milliseconds, now.wallMilliseconds)
        if stamp.time.milliseconds > newest + Replica.aheadLimitMilliseconds {
            return "the stamp is of \(stamp.time.milliseconds) ms, "
                + "\(configuration.member)'s clock shows \(newest) ms"
        }
        return nil
    }

    /// Whether it is known that nobody has done what has this stamp, and nobody will.
    ///
    /// While a member is out, and until it has done so, what it alone did may still be done again.
    private func isDecided(_ stamp: Stamp) -> Bool {
        stamp.time <= stableTime && deduplicationTable.answer(for: stamp) == .notDone
            && !peers.evictions.isAnythingOpen
    }
}

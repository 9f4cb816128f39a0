import Store
import SyncProtocol

// How administrators learn from the log who has written what.

extension Sessions {
    /// The most reads of the log for clients under way.
    private static let logReadsLimit = 4

    /// Begins to read the log for a client.
    mutating func beginLogRead() throws(RequestFailure) {
        guard logReads < Sessions.logReadsLimit else {
            throw RequestFailure(
                .unavailable, "\(member) reads its log for \(logReads) clients now",
                fix: "ask again in a moment")
        }
        logReads += 1
    }

    /// Answers a client for whom the log was read.
    mutating func finishLogRead(_ writes: LoggedWrites, for read: LogSearch) {
        logReads -= 1
        send(.value(id: read.id, value: writes.value), to: read.session)
    }
}

extension Replica {
    /// Reads a part of the log, as it is once all writes so far are in it.
    mutating func readLog(
        _ request: WritesRequest, for submission: Submission
    ) throws(RequestFailure) {
        try sessions.beginLogRead()
        replication.turn.published.append(
            .perform(
                .searchLog(
                    LogSearch(
                        session: submission.session, id: submission.id, held: request.held,
                        byteLimit: Repair.chunkBytes))))
    }

    /// Tells a client what the log holds.
    mutating func report(_ batches: [[UInt8]], isLast: Bool, for search: LogSearch) {
        var members = [writer: configuration.member]
        for peer in replication.peers.all {
            if let writer = peer.heartbeat?.writer { members[writer] = peer.member }
        }
        let writes = LoggedWrites(
            of: batches.compactMap { try? BatchCoding.decode($0) }, beyond: search.held,
            isLast: isLast, members: members)
        sessions.finishLogRead(writes, for: search)
    }
}

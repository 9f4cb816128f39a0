import Convergence
import DataTree
import Store
import SyncProtocol

// How administrators read the log of a node: all writes, or those at one location.

extension Sessions {
    /// The most reads of the log for clients under way.
    private static let logReadsLimit = 4

    /// Begins to read the log for a client.
    mutating func beginLogRead() throws(RequestFailure) {
        guard logReads < Sessions.logReadsLimit else {
            throw RequestFailure(
                .unavailable, "\(member) reads its log for \(logReads) clients already",
                fix: "try again in a moment")
        }
        logReads += 1
    }

    /// Answers the client that requested the log.
    mutating func finishLogRead(_ answer: Value, for read: LogSearch) {
        logReads -= 1
        send(.value(id: read.id, value: answer), to: read.session)
    }
}

extension Replica {
    /// Reads a part of the log, as it is once all writes so far are in it.
    mutating func readLog(
        beyond held: VersionVector, at path: Path? = nil, for submission: Submission
    ) throws(RequestFailure) {
        try sessions.beginLogRead()
        replication.turn.published.append(
            .perform(
                .searchLog(
                    LogSearch(
                        session: submission.session, id: submission.id, held: held,
                        byteLimit: Repair.chunkBytes, path: path))))
    }

    /// Tells a client what the log holds.
    mutating func report(_ batches: [[UInt8]], isLast: Bool, for search: LogSearch) {
        var members = [writer: configuration.member]
        for peer in replication.peers.all {
            if let writer = peer.heartbeat?.writer { members[writer] = peer.member }
        }
        let batches = batches.compactMap { try? BatchCoding.decode($0) }
        guard let path = search.path else {
            let writes = LoggedWrites(
                of: batches, beyond: search.held, isLast: isLast, members: members)
            return sessions.finishLogRead(writes.value, for: search)
        }
        var report = locationReport(at: path)
        report.append(batches, at: path, beyond: search.held, isLast: isLast, members: members)
        sessions.finishLogRead(report.value, for: search)
    }

    /// The state of a location, without its operations.
    private func locationReport(at path: Path) -> LocationReport {
        var report = LocationReport()
        report.node = configuration.member
        report.shown = replication.tree.value[path].shortText
        report.stableMilliseconds = Int(clamping: stableTime.milliseconds)
        report.registers = RegisterPath(to: path, through: replication.tree.registers).entries.map {
            var register = LocationReport.Register()
            (register.path, register.name) = ("\($0.location)", $0.name)
            register.stamp = "\($0.stamp)"
            return register
        }
        return report
    }
}

import SyncProtocol

/// The sessions of which limits of the database refuse many requests. The driver reads nothing from such a session for a moment,
/// so that refusals cost the other sessions little.
struct SessionPauses: Sendable {
    /// So many refusals within the duration of a pause begin one.
    static let refusals = 8
    static let milliseconds: UInt64 = 100

    private struct Count: Sendable {
        var refusals = 0
        let sinceMilliseconds: UInt64
    }

    private var counts: [SessionID: Count] = [:]
    /// The paused sessions, in the order in which they go on.
    private var paused: [(session: SessionID, dueMilliseconds: UInt64)] = []
    private var outputs: [Output] = []

    /// Records a refusal by a limit of the database.
    mutating func recordRefusal(of session: SessionID, at now: UInt64) {
        var count = counts[session] ?? Count(sinceMilliseconds: now)
        if now >= count.sinceMilliseconds + Self.milliseconds {
            count = Count(sinceMilliseconds: now)
        }
        count.refusals += 1
        counts[session] = count
        guard count.refusals == Self.refusals else { return }
        paused.append((session, now + Self.milliseconds))
        outputs.append(.pauseReading(session))
    }

    /// Forgets a session that has ended.
    mutating func remove(_ session: SessionID) {
        if counts.isEmpty { return }
        counts[session] = nil
        paused.removeAll { $0.session == session }
    }

    /// Removes and returns the outputs that pause sessions, and those that let them go on.
    mutating func takeOutputs(at now: UInt64) -> [Output] {
        let due = paused.prefix { $0.dueMilliseconds <= now }
        if due.isEmpty, outputs.isEmpty { return [] }
        defer { outputs = [] }
        for (session, _) in due {
            counts[session] = nil
            outputs.append(.resumeReading(session))
        }
        paused.removeFirst(due.count)
        return outputs
    }
}

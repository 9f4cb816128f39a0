/// When this replica publishes its next heartbeats.
struct HeartbeatSchedule: Sendable {
    static let intervalMilliseconds: UInt64 = 250

    private var nextMilliseconds: UInt64 = 0
    /// Heartbeats follow once these turns are durable, because peers requested them: the first turn and the last.
    private var requestedTurns: ClosedRange<UInt64>?

    /// Whether the next regular heartbeat is due.
    func isDue(at milliseconds: UInt64) -> Bool { milliseconds >= nextMilliseconds }

    /// Makes the next heartbeat due at this time.
    mutating func hasten(to milliseconds: UInt64) { nextMilliseconds = milliseconds }

    /// Schedules the next heartbeat after a regular one.
    mutating func next(after milliseconds: UInt64) {
        nextMilliseconds = milliseconds + HeartbeatSchedule.intervalMilliseconds
    }

    /// Records that a peer waits until a turn is durable.
    mutating func request(after turn: UInt64) {
        requestedTurns = (requestedTurns?.lowerBound ?? turn)...turn
    }

    /// Removes the requests whose turns are durable; returns whether there were any.
    ///
    /// Those in between count as the last one: the next sync includes it.
    mutating func takeRequest(where isStored: (UInt64) -> Bool) -> Bool {
        guard let turns = requestedTurns, isStored(turns.lowerBound) else { return false }
        let last = turns.upperBound
        requestedTurns = isStored(last) ? nil : last...last
        return true
    }
}

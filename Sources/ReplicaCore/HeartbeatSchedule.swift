/// When this replica publishes its next heartbeats.
struct HeartbeatSchedule: Sendable {
    static let intervalMilliseconds: UInt64 = 250

    private var nextMilliseconds: UInt64 = 0
    /// A heartbeat follows once this turn is durable, because a peer requested it.
    private var requestedTurn: UInt64?

    /// Whether the next regular heartbeat is due.
    func isDue(at milliseconds: UInt64) -> Bool { milliseconds >= nextMilliseconds }

    /// Makes the next heartbeat due at this time.
    mutating func hasten(to milliseconds: UInt64) { nextMilliseconds = milliseconds }

    /// Schedules the next heartbeat after a regular one.
    mutating func next(after milliseconds: UInt64) {
        nextMilliseconds = milliseconds + HeartbeatSchedule.intervalMilliseconds
    }

    /// Records that a peer waits until a turn is durable.
    mutating func request(after turn: UInt64) { requestedTurn = turn }

    /// Removes the request if its turn is durable; returns whether there was one.
    mutating func takeRequest(where isStored: (UInt64) -> Bool) -> Bool {
        guard let turn = requestedTurn, isStored(turn) else { return false }
        requestedTurn = nil
        return true
    }
}

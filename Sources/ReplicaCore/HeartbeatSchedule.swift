/// When this replica publishes its next heartbeats.
struct HeartbeatSchedule: Sendable {
    static let intervalMilliseconds: UInt64 = 250

    private var nextMilliseconds: UInt64 = 0
    /// Once this turn is durable, a heartbeat says so.
    private var requestedTurn: UInt64?

    /// Whether the next regular heartbeat is due.
    func isDue(at milliseconds: UInt64) -> Bool { milliseconds >= nextMilliseconds }

    /// The next heartbeat is due at this moment.
    mutating func hasten(to milliseconds: UInt64) { nextMilliseconds = milliseconds }

    /// A regular heartbeat has just been published.
    mutating func next(after milliseconds: UInt64) {
        nextMilliseconds = milliseconds + HeartbeatSchedule.intervalMilliseconds
    }

    /// A peer waits until a turn is durable.
    mutating func request(after turn: UInt64) { requestedTurn = turn }

    /// Takes the request whose turn is durable; returns whether there was one.
    mutating func takeRequest(where isStored: (UInt64) -> Bool) -> Bool {
        guard let turn = requestedTurn, isStored(turn) else { return false }
        requestedTurn = nil
        return true
    }
}

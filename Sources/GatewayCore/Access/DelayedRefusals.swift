internal import SyncProtocol

/// Refusals of requests without a valid credential, and redirects of clients that may go back and forth, until they are sent.
///
/// All wait equally long. The time therefore reveals nothing, and guesses are slow.
struct DelayedRefusals {
    /// How long each waits.
    static let delayMilliseconds: UInt64 = 100
    /// How many may wait at once.
    static let limit = 10_000

    private struct Refusal {
        let session: SessionID
        let dueMilliseconds: UInt64
    }

    /// In the order in which they are due.
    private var waiting: [Refusal] = []
    /// How many refusals for want of a credential there were.
    private(set) var count: UInt64 = 0

    /// Adds a refusal of a session, or of a connection by the number of its session; false if there is no room.
    mutating func add(
        _ session: SessionID, at milliseconds: UInt64, isGuess: Bool = true
    ) -> Bool {
        guard waiting.count < DelayedRefusals.limit else { return false }
        if isGuess { count += 1 }
        waiting.append(
            Refusal(
                session: session, dueMilliseconds: milliseconds + DelayedRefusals.delayMilliseconds)
        )
        return true
    }

    /// Removes and returns those that have waited long enough.
    mutating func removeDue(at milliseconds: UInt64) -> [SessionID] {
        let due = waiting.prefix { $0.dueMilliseconds <= milliseconds }
        if due.isEmpty { return [] }
        let sessions = due.map(\.session)
        waiting.removeFirst(sessions.count)
        return sessions
    }

    /// When the next one is due.
    var nextMilliseconds: UInt64? { waiting.first?.dueMilliseconds }
}

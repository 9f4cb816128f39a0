import SyncProtocol

/// What something was, and since when; the oldest ones go.
struct TimedStates<State> {
    private static var limit: Int { 4_000 }

    private var states: [(since: Microseconds, state: State)] = []

    var last: State? { states.last?.state }

    mutating func append(_ state: State, at now: Microseconds) {
        if states.count >= TimedStates.limit { states.removeFirst(TimedStates.limit / 2) }
        states.append((now, state))
    }

    mutating func removeAll() { states.removeAll() }

    /// All that it was from a time on.
    func values(from time: Microseconds) -> [State] {
        let first = states.lastIndex { $0.since <= time } ?? 0
        return states.dropFirst(first).map(\.state)
    }
}

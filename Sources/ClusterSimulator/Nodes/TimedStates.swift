import SyncProtocol

/// The states of something with the times of their beginnings; the oldest ones are dropped.
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

import ReplicaCore

/// The last events of a run, from which those are shown that may explain a moment.
struct RecentEvents {
    /// How many are kept.
    private static let limit = 2_000
    /// How many of them are shown.
    private static let shown = 8
    private static let shownFaults = 6

    private var texts: [TracedEvent] = []
    private var next = 0
    private var faults: [TracedEvent] = []

    /// Adds an event that a run has just executed.
    mutating func add(_ event: Event, in run: SimulatedRun) {
        let traced = TracedEvent(event, in: run)
        if case .scripted = event { faults.append(traced) }
        guard event.tellsSomething || !traced.does.isEmpty else { return }
        if texts.count < RecentEvents.limit {
            texts.append(traced)
        } else {
            texts[next] = traced
            next = (next + 1) % RecentEvents.limit
        }
    }

    /// The last faults, and the last events that concern these nodes or clients, in order.
    func lines(nodes: [Int], clients: [Int]) -> [String] {
        let names = Set(nodes.map(\.nodeName) + clients.map(\.clientName))
        let ordered = texts[next...] + texts[..<next]
        let concerned = ordered.filter { event in
            [event.subject, event.source].contains { $0.map(names.contains) ?? false }
        }
        let chosen = faults.suffix(RecentEvents.shownFaults) + concerned.suffix(RecentEvents.shown)
        return chosen.sorted { $0.number < $1.number }.map { $0.text.cut(to: 200) }
    }
}

extension Event {
    /// Whether it says something even if no node does anything in it.
    fileprivate var tellsSomething: Bool {
        switch self {
        case .turn, .tick, .diskWorked, .clientTurns, .clientActs, .clientGivesUp,
            .quiescenceChecked, .duplicateTurns, .scripted:
            false
        default: true
        }
    }
}

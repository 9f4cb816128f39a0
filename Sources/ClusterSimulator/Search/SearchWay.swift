/// How the schedules of a scenario are searched for one that refutes it.
public enum SearchWay: String, CaseIterable, Sendable {
    /// Time decides what happens next; a seed draws all delays and faults.
    case swarm
    /// Priorities that a seed draws decide what happens next, whatever its time.
    case priorities
    /// Every schedule of a tiny cluster, without any seed.
    case exhaustive
}

/// The settings of a search.
struct SearchSettings: Sendable {
    var way = SearchWay.swarm
    /// Priorities: how many steps have to come in one order so that a bug shows, and one less priority change a run.
    var depth = 3
    /// Priorities: how long an event may wait behind later ones.
    var window: Microseconds = .milliseconds(200)
    /// Exhaustive search: how often each node's clock goes on by more than a heartbeat.
    var ticks = 0
    /// Exhaustive search: how many published frames are lost.
    var losses = 0
    /// Exhaustive search: after so many states it ends without a result.
    var states = 3_000_000
}

import ReplicaCore

/// The order in which the events of a run happen: that of their times, or one that priorities decide.
struct EventOrder {
    private var timed = EventQueue()
    private(set) var priorities: PriorityOrder?

    /// An order without events, as the scenario wants it.
    init(_ scenario: Scenario, seed: UInt64) {
        guard scenario.search.way == .priorities else { return }
        priorities = PriorityOrder(
            depth: scenario.search.depth, window: scenario.search.window,
            steps: scenario.stepCountByTime(seed: seed), seed: seed)
    }

    /// Adds an event that happens at this time, or after it.
    mutating func schedule(_ event: Event, at time: Microseconds) {
        if priorities == nil {
            timed.schedule(event, at: time)
        } else {
            priorities?.schedule(event, at: time)
        }
    }

    /// When the next event happens.
    var nextTime: Microseconds? { priorities == nil ? timed.nextTime : priorities?.nextTime }

    /// Takes the next event; times ascend.
    mutating func next() -> (time: Microseconds, event: Event)? {
        priorities == nil ? timed.next() : priorities?.next()
    }
}

extension Scenario {
    /// How many events happen before all faults end if time orders them.
    fileprivate func stepCountByTime(seed: UInt64) -> Int {
        var run = SimulatedRun(searched(.swarm), seed: seed)
        var count = 0
        run.begin()
        while !run.quiescence.hasBegun, run.step() != nil { count += 1 }
        return count
    }
}

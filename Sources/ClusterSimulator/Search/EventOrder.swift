import ReplicaCore

/// The order in which the events of a run happen: that of their times, or one that priorities decide.
struct EventOrder {
    private var timed = EventQueue()
    private(set) var priorities: PriorityOrder?
    /// The events that were scheduled since it was emptied; nil unless a report needs them.
    var scheduled: [Event]?

    /// An order without events; without priorities, times decide.
    init(_ priorities: PriorityOrder?) { self.priorities = priorities }

    /// Adds an event that happens at this time, or after it.
    mutating func schedule(_ event: consuming Event, at time: Microseconds) {
        scheduled?.append(copy event)
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

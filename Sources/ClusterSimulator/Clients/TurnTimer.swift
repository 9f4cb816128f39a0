/// When an SDK client takes its next turn without an input.
///
/// The timers of all clients lie side by side: a thousand that ring touch less memory than one client takes.
struct TurnTimer {
    /// It rings at multiples of this.
    private static let interval: Microseconds = .milliseconds(40)
    /// The longest time for which it is set; it is set again if it fires early. An answer brings
    /// most deadlines forward and would leave a timer behind them. A listener that was answered
    /// pings its node after the same silence, so that one firing suffices.
    private static let horizon = Microseconds.seconds(2) + 2 * interval - 1
    private static let never = Microseconds.max

    /// When it rings, at first as the run begins.
    private var time: Microseconds = 0
    /// From when on the library has something to do.
    private var deadline: Microseconds = 0

    /// The library has taken a turn, and has something to do from this time on; nil for never.
    mutating func expect(_ deadline: Microseconds?) { self.deadline = deadline ?? TurnTimer.never }

    /// Sets the timer to the next turn in which the library has something to do; nil if there is none, or the timer rings before.
    mutating func set(after now: Microseconds) -> Microseconds? {
        if deadline == TurnTimer.never { return nil }
        let interval = TurnTimer.interval
        let earliest = min(
            max(deadline + interval - 1, now + interval), now + TurnTimer.horizon)
        let next = earliest / interval * interval
        if time <= next { return nil }
        time = next
        return next
    }

    /// Whether there is something to do if it rings now.
    func isDue(at now: Microseconds) -> Bool {
        // A search by priorities may fire it late.
        time <= now && deadline <= now
    }

    /// It rings; false if it has been set to another time since.
    mutating func takeRing(at now: Microseconds) -> Bool {
        guard time <= now else { return false }
        time = TurnTimer.never
        return true
    }
}

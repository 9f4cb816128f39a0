internal import EventLoop

/// A client of a soak.
protocol SoakWorker: Sendable {
    /// Begins what it may begin; called some times a second.
    func work()
    /// Leaves its node, whatever is on its way.
    func move()
    /// Begins nothing more, and waits for what is on its way.
    func finish(within limit: Duration)
}

/// The clock by which clients and nodes note when something was.
enum SoakClock {
    static var microseconds: UInt64 { Loop.monotonicNanoseconds / 1_000 }
}

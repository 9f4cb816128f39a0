internal import EventLoop

/// A client of a soak.
protocol SoakWorker: Sendable {
    /// Sends the requests that are due; called several times a second.
    func work()
    /// Leaves its node, even with open requests.
    func move()
    /// Sends no more requests, and waits for open ones.
    func finish(within limit: Duration)
}

/// The clock for the times that clients and nodes record.
enum SoakClock {
    static var microseconds: UInt64 { Loop.monotonicNanoseconds / 1_000 }
}

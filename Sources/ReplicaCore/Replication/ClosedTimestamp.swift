import SyncProtocol

/// The time up to which this replica makes no more operations.
///
/// It lags the clock by the retry window, in which clients may still send writes that they stamped before.
struct ClosedTimestamp: Sendable {
    let lagMilliseconds: UInt64
    private(set) var time: HybridTime
    /// The clock's time at an earlier moment.
    private var sample: (elapsedMilliseconds: UInt64, time: HybridTime)?

    init(_ time: HybridTime, lagMilliseconds: UInt64) {
        self.time = time
        self.lagMilliseconds = lagMilliseconds
    }

    /// Closes all times up to this one.
    mutating func raise(to time: HybridTime) { self.time = max(self.time, time) }

    /// Follows the clock.
    ///
    /// If the wall clock has gone back and the hybrid clock does not advance, it reaches the clock's time of one
    /// lag ago.
    mutating func follow(_ clock: HybridTime, at elapsedMilliseconds: UInt64) {
        raise(to: clock.earlier(byMilliseconds: lagMilliseconds))
        if let sample, elapsedMilliseconds < sample.elapsedMilliseconds + lagMilliseconds { return }
        if let sample { raise(to: sample.time) }
        sample = (elapsedMilliseconds, clock)
    }
}

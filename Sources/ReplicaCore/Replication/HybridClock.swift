import SyncProtocol

/// Issues times that always ascend, stay close to the wall clock, and exceed every time seen.
///
/// Source: Kulkarni, Demirbas et al., *Logical Physical Clocks*.
struct HybridClock: Sendable {
    /// The newest time issued or seen.
    private(set) var last: HybridTime

    init(after bound: HybridTime) { last = bound }

    /// The next time to stamp a write with.
    mutating func next(wallMilliseconds: UInt64) -> HybridTime {
        last = max(last.successor, HybridTime(milliseconds: wallMilliseconds))
        return last
    }

    /// Learns of a time that another writer issued.
    mutating func observe(_ time: HybridTime) { last = max(last, time) }

    /// Whether a time is at most a century ahead of the wall clock, so that the clock may follow it.
    ///
    /// Every clock follows the newest time in any message; a time at the end of the range would leave none
    /// after it, for the whole cluster and permanently. A wall clock that starts at 1970 still reaches the
    /// present.
    func reaches(_ time: HybridTime, at now: Moment) -> Bool {
        time.milliseconds <= now.wallMilliseconds + HybridClock.reachMilliseconds
    }

    /// The moment that the clock follows: a wall clock more than a century after all times seen is ignored.
    ///
    /// Other nodes would not accept stamps of such a clock, even after it is corrected.
    func followed(_ moment: Moment) -> Moment {
        guard last > .zero,
            moment.wallMilliseconds > last.milliseconds + HybridClock.reachMilliseconds
        else { return moment }
        return Moment(
            wallMilliseconds: last.milliseconds, elapsedMilliseconds: moment.elapsedMilliseconds)
    }

    private static let reachMilliseconds: UInt64 = 36_525 * 86_400_000

    /// Follows the wall clock without issuing a time: none will be issued up to what it returns.
    mutating func advance(wallMilliseconds: UInt64) -> HybridTime {
        observe(HybridTime(milliseconds: wallMilliseconds))
        return last
    }
}

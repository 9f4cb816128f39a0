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

    /// Follows the wall clock without issuing a time: none will be issued up to what it returns.
    mutating func advance(wallMilliseconds: UInt64) -> HybridTime {
        observe(HybridTime(milliseconds: wallMilliseconds))
        return last
    }
}

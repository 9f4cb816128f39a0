internal import CLibrary

extension Loop {
    /// Reads the wall clock, in milliseconds since 1970; it may step back when it is set.
    public static var wallClockMilliseconds: UInt64 {
        let now = time(of: CLOCK_REALTIME)
        return UInt64(max(now.tv_sec, 0)) * 1000 + UInt64(now.tv_nsec) / 1_000_000
    }

    /// Reads a clock that never steps back, in nanoseconds since some moment before the process.
    public static var monotonicNanoseconds: UInt64 {
        let now = time(of: CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    private static func time(of clock: clockid_t) -> timespec {
        var now = timespec()
        let outcome = clock_gettime(clock, &now)
        precondition(outcome == 0, "clock \(clock) cannot be read")
        return now
    }
}

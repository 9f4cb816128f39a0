internal import Glibc

/// Time since some start, on a clock that never steps.
func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Milliseconds since 1970.
func wallMilliseconds() -> UInt64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

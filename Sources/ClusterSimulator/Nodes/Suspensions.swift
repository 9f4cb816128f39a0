/// When a process was suspended.
struct Suspensions {
    private var all: [(since: Microseconds, until: Microseconds)] = []

    mutating func begin(at now: Microseconds) { all.append((now, .max)) }

    mutating func end(at now: Microseconds) { all[all.count - 1].until = now }

    /// The time from which on the process had this long to run until `now`.
    func time(before now: Microseconds, running duration: Microseconds) -> Microseconds {
        var (end, left) = (now, duration)
        for suspension in all.reversed() {
            let ran = end - min(suspension.until, end)
            if ran >= left { break }
            left -= ran
            end = min(end, suspension.since)
        }
        return end - min(left, end)
    }
}

internal import Glibc

/// Durations of one kind: their percentiles, and how many ended in each part of the time.
struct Latencies {
    private static let tickNanoseconds: UInt64 = 10_000_000
    /// The most points of a line.
    private static let pointLimit = 100

    private var microseconds: [UInt32] = []
    /// When each ended, in ticks of the clock.
    private var ends: [UInt32] = []

    var count: Int { microseconds.count }

    /// Adds a duration that ended at a time of the monotonic clock.
    mutating func add(nanoseconds: UInt64, at time: UInt64) {
        microseconds.append(UInt32(clamping: (nanoseconds + 500) / 1000))
        ends.append(UInt32(truncatingIfNeeded: time / Latencies.tickNanoseconds))
    }

    mutating func add(_ others: Latencies) {
        microseconds += others.microseconds
        ends += others.ends
    }

    /// The least of them that `fraction` of all do not exceed; nil if there are none.
    mutating func percentile(_ fraction: Double) -> UInt32? {
        guard !microseconds.isEmpty else { return nil }
        microseconds.sort()
        let rank = Int((Double(microseconds.count) * fraction).rounded(.up)) - 1
        return microseconds[max(0, min(microseconds.count - 1, rank))]
    }

    /// Percentiles for a plot: how many nines the share has (2 for 99%), and the microseconds. The last share is the one that a single
    /// duration exceeds.
    var percentiles: [(nines: Double, microseconds: UInt32)] {
        var sorted = self
        guard count > 1 else { return [] }
        return (0...Int(log10(Double(count)) * 4)).map { quarter in
            let nines = Double(quarter) / 4
            return (nines, sorted.percentile(1 - pow(10, -nines))!)
        }
    }

    /// How many ended per second in equal parts of the time, each with its end in seconds since the first one ended.
    var rates: [(seconds: Double, perSecond: Double)] {
        guard let first = ends.min(), let last = ends.max(), last > first else { return [] }
        // A part takes five ticks at least, so that few durations make no jagged line.
        let width = max(5, Int(last - first) / Latencies.pointLimit + 1)
        var counts = Array(repeating: 0, count: Int(last - first) / width)
        for end in ends where Int(end - first) / width < counts.count {
            counts[Int(end - first) / width] += 1
        }
        let seconds = Double(width) * Double(Latencies.tickNanoseconds) / 1e9
        return counts.enumerated().map { (Double($0 + 1) * seconds, Double($1) / seconds) }
    }
}

/// Counts durations in buckets, as Prometheus does.
struct Histogram: Equatable {
    /// The upper bounds of the buckets, in seconds; the last bucket has none.
    static let bounds: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
        2.5, 5, 10,
    ]

    /// The durations up to each bound and above the one before.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All durations together.
    private(set) var nanoseconds: UInt64 = 0

    /// Counts a duration.
    mutating func count(nanoseconds duration: UInt64) {
        let seconds = Double(duration) / 1e9
        let bucket = Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count
        counts[bucket] += 1
        nanoseconds &+= duration
    }

    /// Counts a duration.
    mutating func count(milliseconds: UInt64) { count(nanoseconds: milliseconds &* 1_000_000) }
}

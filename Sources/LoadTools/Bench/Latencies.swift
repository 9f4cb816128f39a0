/// Durations of one kind, and their percentiles.
struct Latencies {
    private var microseconds: [UInt32] = []

    var count: Int { microseconds.count }

    mutating func add(nanoseconds: UInt64) {
        microseconds.append(UInt32(clamping: (nanoseconds + 500) / 1000))
    }

    mutating func add(_ others: Latencies) { microseconds += others.microseconds }

    /// The least of them that `fraction` of all do not exceed; nil if there are none.
    mutating func percentile(_ fraction: Double) -> UInt32? {
        guard !microseconds.isEmpty else { return nil }
        microseconds.sort()
        let rank = Int((Double(microseconds.count) * fraction).rounded(.up)) - 1
        return microseconds[max(0, min(microseconds.count - 1, rank))]
    }
}

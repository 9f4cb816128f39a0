import ReplicaCore

/// A machine's clock as its processes see it: off by something, drifting, and stepping.
struct VirtualClock {
    /// The true wall time when a run begins: 2027-01-15 08:00 UTC.
    static let beginning: UInt64 = 1_800_000_000_000

    private var offsetMilliseconds: Int64
    private let driftMillionths: Int64

    init(_ settings: Scenario.Clocks, random: inout SplitMix64) {
        let skew = Int64(settings.skew / 1_000)
        let drift = Int64(settings.drift)
        offsetMilliseconds = VirtualClock.draw(within: skew, &random)
        driftMillionths = VirtualClock.draw(within: drift, &random)
    }

    /// A number from `-limit` to `limit`.
    static func draw(within limit: Int64, _ random: inout SplitMix64) -> Int64 {
        Int64(random.number(below: UInt64(2 * limit + 1))) - limit
    }

    mutating func step(milliseconds: Int64) { offsetMilliseconds += milliseconds }

    func moment(at now: Microseconds) -> Moment {
        let elapsed = Int64(now / 1_000)
        let drift = Int64(now) * driftMillionths / 1_000_000_000
        let wall = Int64(VirtualClock.beginning) + elapsed + drift + offsetMilliseconds
        return Moment(wallMilliseconds: UInt64(max(0, wall)), elapsedMilliseconds: UInt64(elapsed))
    }
}

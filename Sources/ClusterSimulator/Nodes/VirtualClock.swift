import ReplicaCore

/// A machine's clock as its processes see it: off by something, drifting, and stepping.
struct VirtualClock {
    /// The true wall time when a run begins: 2027-01-15 08:00 UTC.
    static let beginning: UInt64 = 1_800_000_000_000

    /// What a clock does as time passes.
    enum Mode: Equatable, Sendable {
        case running
        /// Showing the same time again and again.
        case frozen
        /// Jumping this far ahead and back, at each look at it.
        case strobing(milliseconds: UInt64)
    }

    private var offsetMilliseconds: Int64
    private let driftMillionths: Int64
    private var mode = Mode.running
    private var frozenMilliseconds: UInt64 = 0

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

    mutating func set(_ mode: Mode, at now: Microseconds) {
        frozenMilliseconds = moment(at: now).wallMilliseconds
        self.mode = mode
    }

    func moment(at now: Microseconds) -> Moment {
        let elapsed = Int64(now / 1_000)
        let drift = Int64(now) * driftMillionths / 1_000_000_000
        let running = Int64(VirtualClock.beginning) + elapsed + drift + offsetMilliseconds
        var wall = UInt64(max(0, running))
        switch mode {
        case .running: break
        case .frozen: wall = frozenMilliseconds
        case .strobing(let milliseconds): if now % 3 == 0 { wall += milliseconds }
        }
        return Moment(wallMilliseconds: wall, elapsedMilliseconds: UInt64(elapsed))
    }
}

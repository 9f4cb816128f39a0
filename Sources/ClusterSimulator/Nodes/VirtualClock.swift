import ReplicaCore
import SyncProtocol

/// A machine's clock as its processes see it: off by something, drifting, and stepping.
struct VirtualClock {
    /// The true wall time when a run begins: 2027-01-15 08:00 UTC.
    static let beginning: UInt64 = 1_800_000_000_000

    /// The course of a clock.
    enum Mode: Equatable, Sendable {
        case running
        /// Showing the same time again and again.
        case frozen
        /// Jumping this far ahead and back, at each look at it.
        case strobing(milliseconds: UInt64)
        /// Running this far ahead, then as far behind, and back, in so much time.
        case swaying(milliseconds: UInt64, every: Microseconds)
    }

    private var offsetMilliseconds: Int64
    private let driftMillionths: Int64
    private var mode = Mode.running
    private var frozenMilliseconds: UInt64 = 0
    /// When the mode began.
    private var since: Microseconds = 0
    /// How long the machine has slept, and since when it sleeps.
    private var slept: Microseconds = 0
    private(set) var asleepSince: Microseconds?

    init(_ settings: ClockSettings, random: inout SplitMix64) {
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
        since = now
        self.mode = mode
    }

    /// The machine stands still; only its wall clock goes on.
    mutating func sleep(at now: Microseconds) { asleepSince = asleepSince ?? now }

    /// Returns how long the machine has slept.
    mutating func wake(at now: Microseconds) -> Microseconds {
        guard let asleepSince else { return 0 }
        self.asleepSince = nil
        slept += now - asleepSince
        return now - asleepSince
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
        case .swaying(let milliseconds, let period):
            let sway = VirtualClock.wave(now - since, period, height: Int64(milliseconds))
            wall = UInt64(max(0, running + sway))
        }
        let awake = now - slept - (asleepSince.map { now - $0 } ?? 0)
        return Moment(wallMilliseconds: wall, elapsedMilliseconds: awake / 1_000)
    }

    /// A triangle that goes from 0 to `height`, to `-height`, and back.
    private static func wave(
        _ time: Microseconds, _ period: Microseconds, height: Int64
    ) -> Int64 {
        let place = Int64(time % period) * 4 * height / Int64(period)
        if place < height { return place }
        return place < 3 * height ? 2 * height - place : place - 4 * height
    }
}

import ReplicaCore
import Testing

@testable import ClusterSimulator

/// The clocks of a machine.
@Suite struct VirtualClockTests {
    private func clock() -> VirtualClock {
        var random = SplitMix64(seed: 1)
        return VirtualClock(ClockSettings(), random: &random)
    }

    /// How far the wall clock is from the true time.
    private func error(_ clock: VirtualClock, at now: Microseconds) -> Int64 {
        let wall = Int64(clock.moment(at: now).wallMilliseconds)
        return wall - Int64(VirtualClock.beginning + now / 1_000)
    }

    @Test func `a clock that sways goes ahead, as far behind, and back`() {
        var clock = clock()
        clock.set(.swaying(milliseconds: 300, every: 2_000_000), at: 5_000_000)
        let times: [Microseconds] = [0, 250, 500, 1_000, 1_500, 1_750, 2_000, 2_500]
        let errors = times.map { error(clock, at: 5_000_000 + $0 * 1_000) }
        #expect(errors == [0, 150, 300, 0, -300, -150, 0, 300])
        #expect(clock.moment(at: 6_000_000).elapsedMilliseconds == 6_000)
    }

    @Test func `while a machine sleeps its wall clock alone goes on`() {
        var clock = clock()
        clock.sleep(at: 2_000_000)
        let asleep = clock.moment(at: 5_000_000)
        #expect(asleep.elapsedMilliseconds == 2_000 && error(clock, at: 5_000_000) == 0)
        #expect(clock.wake(at: 6_000_000) == 4_000_000)
        let awake = clock.moment(at: 7_000_000)
        #expect(awake.elapsedMilliseconds == 3_000 && error(clock, at: 7_000_000) == 0)
    }
}

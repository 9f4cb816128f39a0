import Testing

@testable import ClusterSimulator

@Suite struct TurnTimerTests {
    private static let start: Microseconds = .seconds(8)

    /// A timer that has rung, with a deadline from that moment on.
    private func timer(due delay: Microseconds?) -> TurnTimer {
        var timer = TurnTimer()
        _ = timer.takeRing(at: Self.start)
        timer.expect(delay.map { Self.start + $0 })
        return timer
    }

    @Test func `it rings at the first multiple of 40 ms from its deadline on, and not at once`() {
        let rows: [(deadline: Microseconds, ring: Microseconds)] = [
            (0, 40_000), (40_000, 40_000), (40_001, 80_000), (1_999_999, 2_000_000),
        ]
        for (deadline, ring) in rows {
            var timer = timer(due: deadline)
            let set = timer.set(after: Self.start)
            #expect(set == Self.start + ring, "\(deadline)")
            #expect(!timer.isDue(at: Self.start + ring - 1) && timer.isDue(at: Self.start + ring))
        }
    }

    @Test func `it is set again for an earlier deadline alone`() {
        var timer = timer(due: .milliseconds(800))
        let rings = [800, 900, 100].map { (deadline: Microseconds) -> Microseconds? in
            timer.expect(Self.start + .milliseconds(deadline))
            return timer.set(after: Self.start)
        }
        let early = Self.start + .milliseconds(120)
        #expect(rings == [Self.start + .milliseconds(800), nil, early])
        // The second one is of the time that it was set to before.
        let taken = [early, Self.start + .milliseconds(800)].map { timer.takeRing(at: $0) }
        #expect(taken == [true, false])
    }

    @Test func `a deadline far ahead is looked at again on the way`() {
        var timer = timer(due: .seconds(3))
        let first = Self.start + .milliseconds(2_040)
        let set = timer.set(after: Self.start)
        #expect(set == first && !timer.isDue(at: first))
        _ = timer.takeRing(at: first)
        let next = timer.set(after: first)
        #expect(next == Self.start + .seconds(3))
    }

    @Test func `a listener that is answered in time needs one ring for each ping`() {
        // It has pinged; the answer after 39 ms has the next ping due two seconds later.
        var timer = timer(due: .milliseconds(3_001))
        let ring = timer.set(after: Self.start)
        timer.expect(Self.start + .milliseconds(2_039))
        let other = timer.set(after: Self.start + .milliseconds(39))
        #expect(other == nil && ring.map { timer.isDue(at: $0) } == true)
    }

    @Test func `with nothing to do it is not set`() {
        var timer = timer(due: nil)
        let set = timer.set(after: Self.start)
        #expect(set == nil && !timer.isDue(at: Self.start + .seconds(60)))
    }
}

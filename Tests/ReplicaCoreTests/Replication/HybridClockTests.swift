import SyncProtocol
import Testing

@testable import ReplicaCore

/// The clock, and the two times that follow it.
@Suite struct HybridClockTests {
    @Test func `times ascend, follow the wall clock, and exceed all that was seen`() {
        var clock = HybridClock(after: 100)
        let first = HybridTime(milliseconds: 100).successor
        #expect(clock.next(wallMilliseconds: 90) == first, "a wall clock that has gone back")
        #expect(clock.next(wallMilliseconds: 100) == first.successor, "a wall clock that stands")
        #expect(clock.next(wallMilliseconds: 200) == 200)
        clock.observe(500)
        #expect(clock.next(wallMilliseconds: 300) == HybridTime(milliseconds: 500).successor)
        clock.observe(400)
        #expect(clock.advance(wallMilliseconds: 600) == 600)
        #expect(clock.last == 600)
    }

    @Test(
        arguments: [(0, true), (3_155_760_000_000, true), (3_155_760_000_001, false)]
            as [(UInt64, Bool)])
    func `a time a century ahead is not followed`(ahead: UInt64, isFollowed: Bool) {
        let clock = HybridClock(after: 1_000)
        let time = HybridTime(milliseconds: 5_000 + ahead)
        #expect(clock.reaches(time, at: .init(at: 5_000)) == isFollowed)
        let moment = Moment(wallMilliseconds: 1_000 + ahead, elapsedMilliseconds: 7)
        let followed = clock.followed(moment)
        #expect(followed.wallMilliseconds == (isFollowed ? 1_000 + ahead : 1_000))
        #expect(followed.elapsedMilliseconds == 7)
    }

    @Test func `the closed timestamp lags the clock, and follows one that stands still`() {
        var closed = ClosedTimestamp(50, lagMilliseconds: 100)
        // When, what the clock shows, what is closed then.
        let table: [(UInt64, HybridTime, HybridTime)] = [
            (0, 120, 50), (10, 200, 100), (20, 190, 100),
            // After a lag the time of the first moment is closed, although the clock does not move.
            (100, 200, 120), (150, 200, 120), (200, 200, 200), (400, 200, 200),
        ]
        for (elapsed, clock, expected) in table {
            closed.follow(clock, at: elapsed)
            #expect(closed.time == expected, "at \(elapsed)")
        }
        closed.raise(to: 300)
        closed.raise(to: 250)
        #expect(closed.time == 300)
    }

    @Test func `the bound on disk stays above the clock, and is seldom written`() {
        var bound = ClockBound(milliseconds: 5_000)
        let table: [(HybridTime, isStored: Bool, bound: UInt64)] = [
            (3_000, false, 5_000), (4_000, false, 5_000), (4_001, true, 7_001),
            (6_001, false, 7_001), (9_000, true, 12_000),
        ]
        for (time, isStored, expected) in table {
            #expect(bound.extend(over: time) == isStored)
            #expect(bound.milliseconds == expected)
            #expect(bound.milliseconds > time.milliseconds)
        }
    }
}

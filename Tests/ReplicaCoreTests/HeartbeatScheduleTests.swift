import Testing

@testable import ReplicaCore

@Suite struct HeartbeatScheduleTests {
    @Test func `heartbeats are due four times a second, or at once`() {
        var schedule = HeartbeatSchedule()
        #expect(schedule.isDue(at: 0))
        schedule.next(after: 100)
        #expect([349, 350].map { schedule.isDue(at: $0) } == [false, true])
        schedule.hasten(to: 120)
        #expect(schedule.isDue(at: 120))
    }

    @Test func `a requested heartbeat waits for its turn, and is sent once`() {
        var schedule = HeartbeatSchedule()
        #expect(schedule.takeRequest { _ in true } == false)
        schedule.request(after: 3)
        #expect(schedule.takeRequest { $0 <= 2 } == false)
        #expect(schedule.takeRequest { $0 <= 3 } == true)
        #expect(schedule.takeRequest { _ in true } == false)
    }

    @Test func `requests without end delay no heartbeat, and none goes unanswered`() {
        var schedule = HeartbeatSchedule()
        var (published, requested) = (0, UInt64(0))
        for stored in UInt64(0)..<100 {
            // Two turns ahead of the disk, at any time.
            requested = stored + 2
            schedule.request(after: requested)
            if schedule.takeRequest(where: { $0 <= stored }) { published += 1 }
        }
        #expect(published >= 49)
        #expect(schedule.takeRequest { $0 < requested } == true)
        #expect(schedule.takeRequest { $0 < requested } == false)
        #expect(schedule.takeRequest { $0 <= requested } == true)
    }
}

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
        schedule.request(after: 4)
        #expect(schedule.takeRequest { $0 <= 3 } == false)
        #expect(schedule.takeRequest { $0 <= 4 } == true)
        #expect(schedule.takeRequest { _ in true } == false)
    }
}

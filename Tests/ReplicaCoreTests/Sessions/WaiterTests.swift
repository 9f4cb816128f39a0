import SyncProtocol
import Testing

@testable import ReplicaCore

/// Clients that wait: for other members to hold their writes, and for stability.
@Suite struct WaiterTests {
    @Test(
        arguments: [
            // The concern of operation 5; the positions of all and of most members; the time; the answer.
            (.majority, 4, 4, 0, nil), (.majority, 4, 5, 0, .majority),
            (.majority, 5, 5, 0, .majority),
            (.all, 4, 5, 0, nil), (.all, 5, 9, 0, .all), (.all, 4, 5, 3_000, .majority),
            (.all, 4, 4, 3_000, .local), (.majority, 4, 4, 2_999, nil),
        ] as [(WriteConcern, UInt64, UInt64, UInt64, WriteConcern?)])
    func `a write concern is met, or what was reached is told in time`(
        concern: WriteConcern, all: UInt64, majority: UInt64, milliseconds: UInt64,
        told: WriteConcern?
    ) {
        var waiters = WriteConcernWaiters(within: ReplicaLimits())
        let added = waiters.add(
            .init(session: 1, id: 9, concern: concern, sequence: 5, untilMilliseconds: 3_000))
        #expect(added)
        let taken = waiters.remove(reached: (all: all, majority: majority), at: milliseconds)
        #expect(taken.map(\.1) == (told.map { [$0] } ?? []))
        #expect(waiters.waiting.count == (told == nil ? 1 : 0))
    }

    @Test func `a session that ends waits no longer`() {
        var concerns = WriteConcernWaiters(within: ReplicaLimits())
        var stability = StabilityWaiters(within: ReplicaLimits())
        for session in [1, 2, 1] as [SessionID] {
            _ = concerns.add(
                .init(session: session, id: 1, concern: .all, sequence: 1, untilMilliseconds: 9))
            stability.add(.init(session: session, id: 1, time: 10, untilMilliseconds: 9))
        }
        concerns.removeAll(of: 1)
        stability.removeAll(of: 1)
        #expect(concerns.waiting.map(\.session) == [2])
        #expect(stability.waiting.map(\.session) == [2])
        #expect(stability.remove { $0.time <= 9 }.isEmpty)
        #expect(stability.remove { $0.time <= 10 }.map(\.session) == [2])
    }

    @Test func `too many do not wait`() {
        var waiters = WriteConcernWaiters(within: ReplicaLimits())
        let one = WriteConcernWaiters.Waiting(
            session: 1, id: 1, concern: .all, sequence: 1, untilMilliseconds: 9)
        for _ in 0..<ReplicaLimits().concernWaiters { _ = waiters.add(one) }
        #expect(waiters.add(one) == false)
    }
}

import ReplicaCore
import Testing

@testable import ClusterSimulator

/// The order of events.
@Suite struct EventQueueTests {
    @Test func `events come by time, and at one time in the order of scheduling`() {
        var queue = EventQueue()
        var random = SplitMix64(seed: 4)
        var expected: [(time: Microseconds, client: Int)] = []
        for client in 0..<2_000 {
            let time = random.number(below: 50)
            queue.schedule(.clientActs(client), at: time)
            expected.append((time, client))
        }
        expected.sort { ($0.time, $0.client) < ($1.time, $1.client) }
        for (time, client) in expected {
            guard let next = queue.next(), case .clientActs(let found) = next.event else {
                Issue.record("the queue ends before client \(client)")
                return
            }
            #expect(next.time == time && found == client)
        }
        #expect(queue.isEmpty)
    }

    @Test func `events far ahead come among nearer ones that are scheduled later`() {
        var queue = EventQueue()
        var random = SplitMix64(seed: 6)
        var expected: [(time: Microseconds, client: Int)] = []
        var now: Microseconds = 0
        for client in 0..<6_000 {
            // From the present moment to some hours ahead, and often at one time.
            let time = now + random.number(below: 1 << random.number(below: 34)) / 7 * 7
            queue.schedule(.clientActs(client), at: time)
            expected.append((time, client))
            guard client % 3 == 0 || client > 5_000 else { continue }
            let place = expected.indices.min {
                (expected[$0].time, expected[$0].client) < (expected[$1].time, expected[$1].client)
            }
            let first = expected.remove(at: place ?? 0)
            #expect(queue.nextTime == first.time)
            guard let next = queue.next(), case .clientActs(let found) = next.event else {
                Issue.record("the queue ends before client \(first.client)")
                return
            }
            #expect(next.time == first.time && found == first.client)
            now = next.time
        }
    }

    @Test func `draws stay in their range and have both its ends`() {
        var random = SplitMix64(seed: 1)
        let drawn = Set((0..<200).map { _ in random.time(in: TimeRange(3, 6)) })
        #expect(drawn == [3, 4, 5, 6])
        #expect((0..<100).allSatisfy { _ in !random.happens(.zero) })
    }
}

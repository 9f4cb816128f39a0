import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Nodes in contact hold the same operations after a bounded time.
@Suite struct CatchingUpWatchTests {
    private static let origin = WriterID(bits: 7)

    /// A watch of n1, which holds nothing, and n2, which made one operation at one second.
    private func watch(
        _ works: [(time: Microseconds, works: Bool, epochs: [Int])], judgedAt end: Microseconds
    ) -> CatchingUpWatch {
        var watch = CatchingUpWatch(nodes: 2)
        watch.record(Dot(origin: CatchingUpWatchTests.origin, sequence: 1), of: 1, at: .seconds(1))
        for look in works {
            watch.record(0, 1, works: look.works, epochs: look.epochs, at: look.time)
        }
        watch.check(0, 1, holding: VersionVector(), at: end)
        return watch
    }

    @Test func `a node that could ask for longer than the limit and holds less is found`() {
        let end = CatchingUpWatch.limit + .seconds(2)
        let watch = watch([(.seconds(2), true, [1, 1])], judgedAt: end)
        #expect(watch.failure != nil)
        #expect(watch.count == 1)
    }

    @Test(arguments: [
        // It began to work later, was broken meanwhile, or was made anew.
        [
            (Microseconds.seconds(2), true, [1, 1]), (.seconds(3), false, [1, 1]),
            (.seconds(4), true, [1, 1]),
        ],
        [(.seconds(2), true, [1, 1]), (.seconds(4), true, [1, 2])],
        [(.seconds(3), true, [1, 1])],
        [(.seconds(2), true, [1, 1]), (.seconds(4), false, [1, 1])],
    ])
    func `a node is not judged that could not ask for all that time`(
        _ looks: [(Microseconds, Bool, [Int])]
    ) {
        let end = CatchingUpWatch.limit + .seconds(2)
        let watch = watch(looks.map { (time: $0.0, works: $0.1, epochs: $0.2) }, judgedAt: end)
        #expect(watch.failure == nil)
        #expect(watch.count == 0)
    }

    @Test func `what a node has made within the limit may still be missing`() {
        var watch = CatchingUpWatch(nodes: 2)
        let origin = CatchingUpWatchTests.origin
        watch.record(0, 1, works: true, epochs: [1, 1], at: 0)
        watch.record(Dot(origin: origin, sequence: 1), of: 1, at: .seconds(1))
        watch.record(Dot(origin: origin, sequence: 2), of: 1, at: .seconds(3))
        var held = VersionVector()
        held[origin] = 1
        watch.check(0, 1, holding: held, at: CatchingUpWatch.limit + .seconds(2))
        #expect(watch.failure == nil && watch.count == 1)
        watch.record(
            Dot(origin: origin, sequence: 3), of: 1, at: CatchingUpWatch.limit + .seconds(4))
        watch.check(0, 1, holding: held, at: CatchingUpWatch.limit + .seconds(4))
        #expect(watch.failure != nil)
    }
}

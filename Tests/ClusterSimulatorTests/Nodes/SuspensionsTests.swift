import Testing

@testable import ClusterSimulator

@Suite struct SuspensionsTests {
    /// Suspended from 2 s to 5 s, from 6 s to 7 s, and from 20 s on.
    private let suspensions: Suspensions = {
        var suspensions = Suspensions()
        for (since, until) in [(2, 5), (6, 7), (20, nil)] as [(UInt64, UInt64?)] {
            suspensions.begin(at: .seconds(since))
            if let until { suspensions.end(at: .seconds(until)) }
        }
        return suspensions
    }()

    @Test(
        arguments: [
            (1, 1, 0), (1, 9, 0), (19, 5, 14), (8, 1, 7), (8, 2, 5), (8, 3, 1), (8, 4, 0),
            (8, 9, 0),
            (30, 1, 19), (30, 14, 5),
        ] as [(UInt64, UInt64, UInt64)])
    func `a process has so long to run, however long it was suspended`(
        now: UInt64, duration: UInt64, time: UInt64
    ) {
        let found = suspensions.time(before: .seconds(now), running: .seconds(duration))
        #expect(found == .seconds(time))
    }
}

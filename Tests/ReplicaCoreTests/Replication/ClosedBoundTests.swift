import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct `The bound of closed timestamps on disk` {
    private static let lag: UInt64 = 5_000

    private func closed(_ milliseconds: UInt64) -> ClosedTimestamp {
        ClosedTimestamp(HybridTime(milliseconds: milliseconds), lagMilliseconds: Self.lag)
    }

    @Test(
        arguments: [
            // The clock bound less the lag, while the closed timestamp is below it.
            (stored: 0, closed: 15_000, clockBound: 23_000, bound: 18_000, isNew: true),
            // Nothing to store while the clock bound stays.
            (stored: 18_000, closed: 17_999, clockBound: 23_000, bound: 18_000, isNew: false),
            // A clock that was set back lets the closed timestamp reach the bound: always above it.
            (stored: 18_000, closed: 18_000, clockBound: 23_000, bound: 18_001, isNew: true),
            (stored: 18_000, closed: 22_000, clockBound: 23_000, bound: 22_001, isNew: true),
            // It never falls.
            (stored: 18_000, closed: 1_000, clockBound: 9_000, bound: 18_000, isNew: false),
            // A clock near its beginning.
            (stored: 0, closed: 0, clockBound: 3_000, bound: 1, isNew: true),
        ] as [(stored: UInt64, closed: UInt64, clockBound: UInt64, bound: UInt64, isNew: Bool)])
    func `is above announced timestamps, follows the clock bound, and never falls`(
        stored: UInt64, closed: UInt64, clockBound: UInt64, bound: UInt64, isNew: Bool
    ) {
        var closedBound = ClosedBound(milliseconds: stored)
        let mustBeStored = closedBound.extend(
            over: self.closed(closed), with: ClockBound(milliseconds: clockBound))
        #expect(mustBeStored == isNew)
        #expect(closedBound.milliseconds == bound)
        #expect(closedBound.property.number == bound)
    }
}

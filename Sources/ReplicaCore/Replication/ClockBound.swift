import Store
import SyncProtocol

/// A time on disk above all times of the clock: the next incarnation's clock starts there.
struct ClockBound: Sendable {
    private static let reserveMilliseconds: UInt64 = 3_000
    private static let leastReserveMilliseconds: UInt64 = 1_000

    private(set) var milliseconds: UInt64

    init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    var property: Property { Property(.clockBound, milliseconds) }

    /// Raises the bound if the clock comes close to it; returns whether it must be stored.
    mutating func extend(over time: HybridTime) -> Bool {
        guard time.milliseconds + ClockBound.leastReserveMilliseconds > milliseconds
        else { return false }
        milliseconds = time.milliseconds + ClockBound.reserveMilliseconds
        return true
    }
}

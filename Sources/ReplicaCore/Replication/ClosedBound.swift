import Store
import SyncProtocol

/// A time on disk above all closed timestamps that the node has announced: the next incarnation makes no operations up to it.
///
/// It lags the clock bound by the retry window. If the clock bound itself were used, a node that restarts would refuse what
/// clients stamped before, until the retry window has passed at all nodes.
struct ClosedBound: Sendable {
    private(set) var milliseconds: UInt64

    init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    var property: Property { Property(.closedBound, milliseconds) }

    /// Raises the bound with the clock bound, and over a closed timestamp that has reached it; returns whether it must be stored.
    mutating func extend(over closed: ClosedTimestamp, with clockBound: ClockBound) -> Bool {
        var bound = clockBound.milliseconds - min(clockBound.milliseconds, closed.lagMilliseconds)
        if closed.time.milliseconds >= bound { bound = closed.time.milliseconds + 1 }
        guard bound > milliseconds else { return false }
        milliseconds = bound
        return true
    }
}

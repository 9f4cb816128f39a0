/// The clock with which a client stamps its own writes: it follows the node's clock, stays behind it, and
/// exceeds every time that the client has seen.
///
/// A client counts the milliseconds since the node told its time, so a wall clock of its own that steps or is wrong
/// does no harm. A stamp lags the node's clock at most by the latency of the node's answer. So of two writes at one
/// node, the second made after the first was answered, the second wins.
public struct StampClock: Sendable {
    package let writer: WriterID
    /// The newest time that was issued or seen.
    private var last = HybridTime.zero
    private var wallMilliseconds: UInt64 = 0
    private var elapsedMilliseconds: UInt64 = 0

    package init(writer: WriterID) { self.writer = writer }

    /// Follows a node that has just told its wall clock.
    ///
    /// - Parameter elapsedMilliseconds: The time on a clock of this client that never steps.
    public mutating func follow(wallMilliseconds: UInt64, at elapsedMilliseconds: UInt64) {
        self.wallMilliseconds = wallMilliseconds
        self.elapsedMilliseconds = elapsedMilliseconds
    }

    /// Follows a time that was seen.
    public mutating func observe(_ time: HybridTime) { last = max(last, time) }

    /// The next stamp; stamps ascend.
    public mutating func next(at elapsedMilliseconds: UInt64) -> Stamp {
        let since = elapsedMilliseconds - min(elapsedMilliseconds, self.elapsedMilliseconds)
        last = max(last.successor, HybridTime(milliseconds: wallMilliseconds + since))
        return Stamp(time: last, writer: writer)
    }
}

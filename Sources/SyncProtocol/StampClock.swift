/// The clock with which a client stamps its own writes: it follows the node's clock, stays behind it, and
/// exceeds every time that the client has seen.
///
/// A client counts the milliseconds since the node reported its time, so a wrong or stepping wall clock does no
/// harm. A stamp lags the node's clock at most by the latency of the node's answer. If a client makes a second
/// write after the answer to the first one at the same node, the second therefore wins.
///
/// If no write with one of its stamps has an unknown outcome, it may start again behind a node's clock, as another
/// writer. A client that has followed a wrong clock can thus write at nodes with the right time.
public struct StampClock: Sendable {
    /// How far a stamp may be ahead of the clock of a node that takes it, in milliseconds.
    package static let aheadLimitMilliseconds: UInt64 = 10_000

    /// The writer of the issued stamps.
    public private(set) var writer: WriterID
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

    /// Whether a node that shows this time would refuse the next stamp for being too far ahead.
    public func isTooFarAhead(of time: HybridTime) -> Bool {
        last.milliseconds > time.milliseconds + StampClock.aheadLimitMilliseconds
    }

    /// Forgets the times that were issued and seen, and follows this one.
    ///
    /// Times may come again that were issued before, so the writer is another one from here on.
    public mutating func startOver(after time: HybridTime) {
        // Steps of the golden ratio come back to a number after all others.
        writer = WriterID(bits: writer.bits &+ 0x9E37_79B9_7F4A_7C15)
        last = time
    }

    /// A time that the node's wall clock has reached, if no clock has been set since the node told it.
    ///
    /// It lags that clock by the latency of the node's answer and a millisecond, which both clocks may have rounded off.
    public func reachedMilliseconds(at elapsedMilliseconds: UInt64) -> UInt64 {
        max(wallMilliseconds(at: elapsedMilliseconds), 1) - 1
    }

    private func wallMilliseconds(at elapsedMilliseconds: UInt64) -> UInt64 {
        wallMilliseconds + elapsedMilliseconds - min(elapsedMilliseconds, self.elapsedMilliseconds)
    }

    /// The next stamp of a writer; its stamps ascend.
    public mutating func next(at elapsedMilliseconds: UInt64) -> Stamp {
        let wall = wallMilliseconds(at: elapsedMilliseconds)
        last = max(last.successor, HybridTime(milliseconds: wall))
        return Stamp(time: last, writer: writer)
    }
}

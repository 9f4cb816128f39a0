/// A moment, as the driver's clocks show it.
public struct Moment: Equatable, Sendable {
    /// Wall clock: milliseconds since 1970; may step.
    public var wallMilliseconds: UInt64
    /// Monotonic clock: milliseconds since an arbitrary start.
    public var elapsedMilliseconds: UInt64

    /// A moment of both clocks.
    public init(wallMilliseconds: UInt64, elapsedMilliseconds: UInt64) {
        self.wallMilliseconds = wallMilliseconds
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}

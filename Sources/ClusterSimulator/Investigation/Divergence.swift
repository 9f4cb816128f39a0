import DataTree

/// A moment at which two things parted that are to be equal.
struct Divergence {
    var event: UInt64
    var time: Microseconds
    /// The event of the divergence.
    var cause: String
    /// The difference from then on.
    var problem: String
    /// The first location that differs; nil if that is not known.
    var path: Path?
    /// Counted from 0: whose events before it may explain it.
    var nodes: [Int] = []
    var clients: [Int] = []
}

/// A time in which a node could take no writes.
struct Refusal {
    static let noRoom = "the disk is full"
    static let evicted = "was evicted"
    static let oldDisk = "has started on an old disk"
    /// For a refused eviction: no node may give this reason, as a refused eviction has no effect.
    static let notEvicted = "was not evicted"

    var node: Int
    /// The text that the node's refusals must contain.
    var reason: String
    var since: Microseconds
    var until: Microseconds?
}

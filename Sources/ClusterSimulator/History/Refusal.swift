/// A time in which a node could take no writes.
struct Refusal {
    static let noRoom = "the disk is full"
    static let evicted = "was evicted"
    /// Of an eviction that was refused: what no node says, as nothing follows from it.
    static let notEvicted = "was not evicted"

    var node: Int
    /// What it has to say.
    var reason: String
    var since: Microseconds
    var until: Microseconds?
}

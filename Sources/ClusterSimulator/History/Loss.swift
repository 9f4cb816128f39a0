/// Operations that a node stored between these times may be lost: its disk is lost, or they were not
/// synced.
struct Loss {
    var node: Int
    var since: Microseconds
    var until: Microseconds
    /// Whether the disk is empty then, so that the node knows of the loss.
    var isTotal = false
}

/// The end of a process that may have left unsynced data.
struct UnsyncedEnd {
    var node: Int
    var time: Microseconds
    /// The time after which its operations may be lost; nil if none may.
    var unsyncedSince: Microseconds?
}

/// Operations that a node stored between these times may be lost: its disk is lost, or they were not
/// synced.
struct Loss {
    var node: Int
    var since: Microseconds
    var until: Microseconds
    var kind: Kind
    /// When the node had recovered: it holds what others show, and has learnt votes and evictions.
    var recovered: Microseconds?

    enum Kind {
        /// The node knows of the loss: its disk is empty, or shows that it is an older one.
        case known
        /// Nothing on the disk shows the loss; peers can, once they have seen something newer.
        case hidden
        /// The data were replaced while the node ran, and votes stay.
        case dataAlone
        /// The node never returns.
        case final
    }

    /// Whether votes and evictions may be forgotten at a time.
    func isOpen(at time: Microseconds) -> Bool {
        kind != .dataAlone && until <= time && time < recovered ?? .max
    }
}

/// The end of a process that may have left unsynced data.
struct UnsyncedEnd {
    var node: Int
    var time: Microseconds
    /// The time after which its operations may be lost; nil if none may.
    var unsyncedSince: Microseconds?
}

import Store

/// The parts that a node has yet to recover since it started without its latest disk: with an empty one, with a
/// restored copy, or with an old folder.
///
/// The first incarnation stores it in its first turn, together with all other evidence of its existence; `hearth
/// restore` writes it into the copy. Each part is removed in the turn that recovers it. Every later incarnation
/// therefore knows what is missing, whenever a process ends. A checkpoint of a peer does not change it.
struct DiskLoss: OptionSet, Sendable {
    let rawValue: UInt64

    /// Votes may be forgotten, so this node does not vote.
    static let votes = DiskLoss(rawValue: 1)
    /// Data, evictions and closed timestamps may be missing, so this node does not serve.
    static let data = DiskLoss(rawValue: 2)
    /// An operator has accepted the loss, so this node serves before it has met the others.
    static let accepted = DiskLoss(rawValue: 4)
    /// The state of an empty disk.
    static let everything: DiskLoss = [.votes, .data]

    var property: Property { Property(.diskLoss, rawValue) }
}

extension Replica {
    /// The parts that this incarnation has yet to recover.
    var diskLoss: DiskLoss {
        var loss: DiskLoss = coordination.isInformed ? [] : .votes
        if !lifecycle.hasWholeDisk { loss.insert(.data) }
        if !loss.isEmpty, lossIsAccepted { loss.insert(.accepted) }
        return loss
    }

    /// Stores what is yet to be recovered, if that has changed.
    mutating func storeDiskLoss() {
        guard diskLoss != storedDiskLoss else { return }
        storedDiskLoss = diskLoss
        replication.turn.properties.append(diskLoss.property)
    }
}

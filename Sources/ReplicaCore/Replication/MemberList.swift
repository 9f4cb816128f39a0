import DataTree
import Store
import SyncProtocol

// The configuration of all nodes at once says which nodes make up the cluster. A node that was left out for a while
// must not continue with its data: without it, the others have declared stable what it may still change.
//
// So a node that starts with a shorter list records that all incarnations of each missing member have ended, as if
// they had been evicted. If the member is listed again, it rejoins as an evicted node does. Source: `convergence.md`,
// section 6.

/// The members of a cluster, by name.
struct MemberList: Equatable, Sendable {
    /// Ascending.
    let names: [String]

    init(of configuration: ReplicaConfiguration) {
        names = configuration.members.map(\.name)
    }

    /// Nil for bytes that `bytes` did not make.
    init?(_ bytes: [UInt8]) {
        let names = try? bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = MessagePackReader(bytes)
            let count = try reader.arrayHead("members")
            return try reader.elements(count) { reader throws(FrameError) in
                try reader.string("a member")
            }
        }
        guard let names else { return nil }
        self.names = names
    }

    var bytes: [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(names.count)
        for name in names { writer.append(name) }
        return writer.bytes
    }
}

extension Replication {
    /// Compares the list of members with that of the previous incarnation; nil if that one is not known.
    mutating func compareMembers(with last: MemberList?) {
        let current = MemberList(of: configuration)
        if last != current { unstoredMembers = current }
        for name in last?.names ?? [] where !current.names.contains(name) {
            peers.evictions.noteRemoval(of: name)
        }
    }

    /// Stores the list, together with the removals that it implies.
    mutating func storeMembers() {
        guard let list = unstoredMembers else { return }
        unstoredMembers = nil
        turn.properties.append(Property(.members, bytes: list.bytes))
    }
}

extension Replication {
    /// Stores what this replica remembers of its peers' disks.
    mutating func storeMemories() {
        if let property = incarnations.takeToStore() { turn.properties.append(property) }
        if peers.hasNewMemories { turn.properties.append(peers.takeMemories().property) }
    }
}

extension Evictions {
    /// Records that all incarnations of a member so far have ended: it is no longer a member.
    mutating func noteRemoval(of member: String) {
        let count = all.count { $0.member == member && $0.isRemoval }
        // Nodes with the same sequence of configurations have the same count.
        let removal = Eviction(member: member, subject: .allUntilRemoval(UInt64(count + 1)))
        _ = raise(removal, to: .over)
        dropVotes(against: member)
    }

    /// Learns a member's knowledge of removals, including nodes that are in no configuration.
    mutating func follow(removals evictions: [Eviction]) {
        for removal in evictions where removal.isRemoval && removal.stage == .over {
            if removal.member != own { _ = raise(removal, to: .over) }
        }
    }
}

extension Eviction {
    /// Whether it ends all incarnations of a member up to the removal of the member.
    var isRemoval: Bool { writer == nil }
}

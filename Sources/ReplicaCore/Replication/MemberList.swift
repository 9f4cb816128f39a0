import Store
import SyncProtocol

// Which nodes make up the cluster is for its configuration to say, and for all nodes at once; a node that was left
// out for a while must not go on where it was, as others have made stable without it what it may still change.
//
// So a node that starts with a shorter list notes that all incarnations of who is missing are over, as if most members
// had voted it out. Should it be listed again, it comes back as such a node does. Source: `convergence.md`, section 6.

/// The members of a cluster, by name.
struct MemberList: Equatable, Sendable {
    /// Ascending.
    let names: [String]

    init(of configuration: ReplicaConfiguration) {
        names = configuration.members.map(\.name)
    }

    /// Nil for bytes that `bytes` did not make.
    init?(_ bytes: [UInt8]) {
        var names: [String] = []
        let isRead = bytes.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            guard let count = try? reader.arrayHead("members") else { return false }
            for _ in 0..<count {
                guard let name = try? reader.string("a member") else { return false }
                names.append(name)
            }
            return true
        }
        guard isRead else { return nil }
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
    /// Compares the list of members with that of the incarnation before; nil if that one is not known.
    mutating func compareMembers(with last: MemberList?) {
        let current = MemberList(of: configuration)
        if last != current { unstoredMembers = current }
        for name in last?.names ?? [] where !current.names.contains(name) {
            peers.evictions.noteRemoval(of: name)
        }
    }

    /// Stores the list, together with what it says of members that are not in it.
    mutating func storeMembers() {
        guard let list = unstoredMembers else { return }
        unstoredMembers = nil
        turn.properties.append(Property(.members, bytes: list.bytes))
    }
}

extension Evictions {
    /// Notes that all incarnations of a member are over so far: it is none any more.
    mutating func noteRemoval(of member: String) {
        let count = all.count { $0.member == member && $0.isRemoval }
        // Who has made the same steps counts the same.
        let removal = Eviction(member: member, subject: .allUntilRemoval(UInt64(count + 1)))
        _ = raise(removal, to: .over)
    }

    /// Takes over what another member knows of removals, also of nodes that are listed nowhere any more.
    mutating func follow(removals evictions: [Eviction]) {
        for removal in evictions where removal.isRemoval && removal.stage == .over {
            if removal.member != own { _ = raise(removal, to: .over) }
        }
    }
}

extension Eviction {
    /// Whether it ends all incarnations of a member up to one at which the member was left out.
    var isRemoval: Bool { writer == nil }
}

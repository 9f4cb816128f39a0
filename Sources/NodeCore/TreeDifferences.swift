public import DataTree
internal import ReplicaCore
public import SyncProtocol

// The comparison of the trees of all databases with those of other nodes. Replicas compare those of awake databases themselves.
// Of sleeping ones, nodes publish the digests that they had when they fell asleep.

/// A database whose tree differs from that of another node with the same operations.
public struct TreeDifference: Equatable, Sendable {
    /// The database.
    public let database: DatabaseName
    /// The other node.
    public let member: String
    /// When the difference was found, by the clock of `Moment.elapsedMilliseconds`.
    public let sinceMilliseconds: UInt64
}

extension NodeCore {
    /// The differences of all databases that the node holds: those of the default one first, and the others by name.
    ///
    /// - Complexity: O(databases).
    public mutating func treeDifferences() -> [TreeDifference] {
        var all: [TreeDifference] = []
        func append(_ found: [String: UInt64], of name: DatabaseName) {
            for (member, since) in found.sorted(by: { $0.key < $1.key }) {
                all.append(
                    TreeDifference(database: name, member: member, sinceMilliseconds: since))
            }
        }
        append(replica.treeDifferences(knowing: [:]), of: .default)
        for (name, index) in indexes.sorted(by: { $0.key < $1.key }) {
            let position = index.position
            guard !named[position].isRemoved, !named[position].isElsewhere else { continue }
            if named[position].hasReplica { named[position].rememberDifferences() }
            append(named[position].differences, of: name)
        }
        return all
    }

    /// The time of this turn, by which the age of a difference is known.
    public var elapsedMilliseconds: UInt64 { now.elapsedMilliseconds }

    /// The digest of the tree that the files of a sleeping database hold; nil if it is unknown. A driver keeps it beside
    /// `digest(of:)`.
    public func treeDigest(of database: DatabaseIndex) -> TreeDigest? {
        named[database.position].treeDigest
    }

    /// Publishes the digests of trees, beside those of operations.
    mutating func publishTrees() {
        let entries = named.compactMap { database -> SleepingTrees.Entry? in
            guard database.state == .asleep, !database.isRemoved, !database.isElsewhere,
                let operations = database.digest, let tree = database.treeDigest
            else { return nil }
            return SleepingTrees.Entry(database.name, operations: operations, tree)
        }
        for start in stride(from: 0, to: entries.count, by: SleepingTrees.limit) {
            let part = Array(entries[start...].prefix(SleepingTrees.limit))
            let trees = SleepingTrees(of: replica.clusterName, replica.memberName, part)
            outputs.append(.replica(.publish(trees.bytes, .awaited)))
        }
    }

    /// Compares the trees of sleeping databases with those of a peer; returns false if the frame has none.
    mutating func receive(trees frame: [UInt8]) -> Bool {
        guard let trees = SleepingTrees(frame), trees.cluster == replica.clusterName,
            replica.peerNames.contains(trees.member)
        else { return false }
        for entry in trees.entries {
            guard let position = indexes[entry.name]?.position, named[position].state == .asleep,
                named[position].digest == entry.operations, let own = named[position].treeDigest
            else { continue }
            named[position].differences[trees.member] =
                own == entry.tree
                ? nil
                : named[position].differences[trees.member] ?? now.elapsedMilliseconds
        }
        return true
    }
}

extension NamedDatabase {
    /// Replaces what is known of other nodes' trees by what the replica has found. There must be one.
    mutating func rememberDifferences() {
        differences = replica.treeDifferences(knowing: differences)
    }
}

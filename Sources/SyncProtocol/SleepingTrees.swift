public import DataTree

/// The digests of the trees of sleeping databases at a node. Nodes publish them beside `DatabaseDigests`, so that each compares the
/// trees of databases of which both hold the same operations.
///
/// The bytes are 0xD4, the length of the cluster's name, the name, the same of the sender, an entry for each database, and a
/// CRC-32C of all before it (4 bytes, little-endian). An entry is the length of the name, the name, the digest of the operations
/// (`VersionVector.digest`, 8 bytes), and that of the tree (2 words of 8 bytes), all little-endian.
public struct SleepingTrees: Equatable, Sendable {
    /// An entry of the list.
    public struct Entry: Equatable, Sendable {
        public let name: DatabaseName
        /// The digest of the operations.
        public let operations: UInt64
        public let tree: TreeDigest

        /// An entry for a database.
        public init(_ name: DatabaseName, operations: UInt64, _ tree: TreeDigest) {
            (self.name, self.operations, self.tree) = (name, operations, tree)
        }
    }

    /// The most entries of a list. A node with more sleeping databases publishes several lists.
    public static let limit = 500
    /// The first byte, which is no version of the protocol.
    private static let mark: UInt8 = 0xD4

    /// The cluster of the sender, and its name.
    public let cluster: String
    public let member: String
    /// The sleeping databases.
    public var entries: [Entry]

    /// A list of digests.
    public init(of cluster: String, _ member: String, _ entries: [Entry]) {
        (self.cluster, self.member, self.entries) = (cluster, member, entries)
    }

    /// Whether bytes begin as a list does.
    public static func isPresent(in bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// The list as it travels.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [SleepingTrees.mark]
        bytes.append(shortText: cluster)
        bytes.append(shortText: member)
        for entry in entries {
            bytes.append(shortText: entry.name.text)
            for word in [entry.operations, entry.tree.first, entry.tree.second] {
                withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
            }
        }
        bytes.appendChecksum()
        return bytes
    }

    /// Reads a list; nil if the bytes are none, or damaged.
    public init?(_ bytes: [UInt8]) {
        guard bytes.first == SleepingTrees.mark, let content = bytes.checkedContent,
            var rest = Optional(content.dropFirst()), let cluster = rest.removeShortText(),
            let member = rest.removeShortText()
        else { return nil }
        self.init(of: cluster, member, [])
        while !rest.isEmpty {
            guard let text = rest.removeShortText(), let name = DatabaseName(stored: text),
                rest.count >= 24
            else { return nil }
            let operations = rest.removeWord()
            let tree = TreeDigest(rest.removeWord(), rest.removeWord())
            entries.append(Entry(name, operations: operations, tree))
        }
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns a word of 8 bytes, which must be there.
    fileprivate mutating func removeWord() -> UInt64 {
        defer { removeFirst(8) }
        return prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The operations that a node holds of its sleeping databases, as digests. Nodes publish them when they reach each other, so that
/// only databases wake of which one of the nodes lacks operations.
///
/// The bytes are 0xD2, the length of the cluster's name, the name, an entry for each database, and a CRC-32C of all before it
/// (4 bytes, little-endian). An entry is the length of the name, the name, and the digest (8 bytes, little-endian): that of
/// `VersionVector.digest`, or 0 if the node does not know it until it has opened the database.
public struct DatabaseDigests: Equatable, Sendable {
    /// An entry of the list.
    public struct Entry: Equatable, Sendable {
        public let name: DatabaseName
        /// Nil if the node does not know it.
        public let digest: UInt64?

        /// An entry for a database.
        public init(_ name: DatabaseName, _ digest: UInt64?) {
            (self.name, self.digest) = (name, digest)
        }
    }

    /// The most entries of a list. A node with more sleeping databases publishes several lists.
    public static let limit = 500
    /// The first byte, which is no version of the protocol.
    private static let mark: UInt8 = 0xD2

    /// The cluster of the sender.
    public let cluster: String
    /// The sleeping databases.
    public var entries: [Entry]

    /// A list of digests.
    public init(of cluster: String, _ entries: [Entry]) {
        (self.cluster, self.entries) = (cluster, entries)
    }

    /// Whether bytes begin as a list does.
    public static func isPresent(in bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// The list as it travels.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [DatabaseDigests.mark]
        bytes.append(shortText: cluster)
        for entry in entries {
            bytes.append(shortText: entry.name.text)
            withUnsafeBytes(of: (entry.digest ?? 0).littleEndian) { bytes += $0 }
        }
        bytes.appendChecksum()
        return bytes
    }

    /// Reads a list; nil if the bytes are none, or damaged.
    public init?(_ bytes: [UInt8]) {
        guard bytes.first == DatabaseDigests.mark, let content = bytes.checkedContent,
            var rest = Optional(content.dropFirst()), let cluster = rest.removeShortText()
        else { return nil }
        self.init(of: cluster, [])
        while !rest.isEmpty {
            guard let text = rest.removeShortText(), let name = DatabaseName(stored: text),
                rest.count >= 8
            else { return nil }
            let digest = rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            rest.removeFirst(8)
            entries.append(Entry(name, digest == 0 ? nil : digest))
        }
    }
}

extension VersionVector {
    /// A hash over all operations held, which is not 0: equal vectors have equal digests, however they are folded.
    ///
    /// - Complexity: O(entries).
    public var digest: UInt64 {
        var hash: UInt64 = 0
        for (origin, sequence) in entries where sequence > 0 {
            hash = FoldedOrigins.mixed(hash ^ FoldedOrigins.mixed(origin.bits) &+ sequence)
        }
        return max(hash, 1)
    }
}

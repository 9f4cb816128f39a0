/// The databases that a node knows: those that it has, and those that were removed. Nodes publish it, so that a node that was
/// away gets the names of databases that sleep, and removes what was removed.
///
/// The bytes are 0xD1, the length of the cluster's name, the name, an entry for each database, and a CRC-32C of all before it
/// (4 bytes, little-endian). An entry is 0 for a database that exists or 1 for a removed one, the length of the name, and the
/// name.
public struct DatabaseList: Equatable, Sendable {
    /// The most entries of a list. A node with more databases publishes several lists.
    public static let limit = 500
    /// The first byte, which is no version of the protocol.
    private static let mark: UInt8 = 0xD1

    /// The cluster of the sender.
    public let cluster: String
    /// The databases that exist.
    public var names: [DatabaseName]
    /// The databases that were removed.
    public var removed: [DatabaseName]

    /// A list of databases.
    public init(of cluster: String, names: [DatabaseName], removed: [DatabaseName]) {
        (self.cluster, self.names, self.removed) = (cluster, names, removed)
    }

    /// Whether bytes begin as a list does.
    public static func isPresent(in bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// The list as it travels.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [DatabaseList.mark]
        bytes.append(shortText: cluster)
        for name in names { bytes.append(0, name) }
        for name in removed { bytes.append(1, name) }
        bytes.appendChecksum()
        return bytes
    }

    /// Reads a list; nil if the bytes are none, or damaged.
    public init?(_ bytes: [UInt8]) {
        guard bytes.first == DatabaseList.mark, let content = bytes.checkedContent,
            var rest = Optional(content.dropFirst()), let cluster = rest.removeShortText()
        else { return nil }
        self.init(of: cluster, names: [], removed: [])
        while let kind = rest.popFirst() {
            guard kind < 2, let text = rest.removeShortText(),
                let name = DatabaseName(stored: text),
                !name.isDefault
            else { return nil }
            if kind == 0 { names.append(name) } else { removed.append(name) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ kind: UInt8, _ name: DatabaseName) {
        append(kind)
        append(shortText: name.text)
    }
}

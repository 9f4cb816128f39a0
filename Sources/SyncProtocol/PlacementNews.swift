/// The placements of databases that a node holds. Nodes publish them for two reasons. Two placements of one epoch, which an old
/// disk can bring about, become visible. And any node can see that all nodes of a move hold the same operations.
///
/// The bytes are 0xD3, the name of the cluster, that of the sender, an entry for each database, and a CRC-32C of all before it
/// (4 bytes, little-endian). An entry is the name of the database, the epoch (4 bytes), a byte of flags (1: moves, 2: copied), the
/// number of nodes (1 byte), and of each node its name, the epoch since which it holds the database (4 bytes), and a byte (1: of
/// the nodes of before, 2: of the next ones). Names have their length before them, in a byte.
public struct PlacementNews: Equatable, Sendable {
    /// The placement of a database at the sender.
    public struct Entry: Equatable, Sendable {
        public let name: DatabaseName
        public let placement: DatabasePlacement
        /// Whether the sender knows that all nodes of the placement hold the same operations.
        public let isCopied: Bool

        /// An entry for a database.
        public init(_ name: DatabaseName, _ placement: DatabasePlacement, isCopied: Bool) {
            (self.name, self.placement, self.isCopied) = (name, placement, isCopied)
        }
    }

    /// The most entries of a frame. A node with more publishes several.
    public static let limit = 100
    /// The first byte, which is no version of the protocol.
    private static let mark: UInt8 = 0xD3

    /// The cluster of the sender.
    public let cluster: String
    /// The name of the sender.
    public let member: String
    /// The placements.
    public var entries: [Entry]

    /// The placements at a node.
    public init(of cluster: String, at member: String, _ entries: [Entry]) {
        (self.cluster, self.member, self.entries) = (cluster, member, entries)
    }

    /// Whether bytes begin as news do.
    public static func isPresent(in bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// The news as they travel.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [PlacementNews.mark]
        bytes.append(shortText: cluster)
        bytes.append(shortText: member)
        for entry in entries { bytes.append(entry) }
        bytes.appendChecksum()
        return bytes
    }

    /// Reads news; nil if the bytes are none, or damaged.
    public init?(_ bytes: [UInt8]) {
        guard bytes.first == PlacementNews.mark, let content = bytes.checkedContent,
            var rest = Optional(content.dropFirst()), let cluster = rest.removeShortText(),
            let member = rest.removeShortText()
        else { return nil }
        self.init(of: cluster, at: member, [])
        while !rest.isEmpty {
            guard let entry = rest.removePlacement() else { return nil }
            entries.append(entry)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ entry: PlacementNews.Entry) {
        let placement = entry.placement
        append(shortText: entry.name.text)
        append(epoch: placement.epoch)
        append((placement.isMoving ? 1 : 0) | (entry.isCopied ? 2 : 0))
        let nodes = placement.nodes.prefix(255)
        append(UInt8(nodes.count))
        for node in nodes {
            append(shortText: node)
            append(epoch: placement.since(of: node))
            let isBefore = placement.move?.from.contains(node) == true
            let isNext = placement.move?.to.contains(node) == true
            append((isBefore ? 1 : 0) | (isNext ? 2 : 0))
        }
    }

    private mutating func append(epoch: UInt32) {
        Swift.withUnsafeBytes(of: epoch.littleEndian) { self += $0 }
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func removePlacement() -> PlacementNews.Entry? {
        guard let text = removeShortText(), let name = DatabaseName(text), !name.isDefault,
            let epoch = removeEpoch(), epoch > 0, let flags = popFirst(), let count = popFirst()
        else { return nil }
        var (nodes, from, to) = ([String](), [String](), [String]())
        var since: [String: UInt32] = [:]
        for _ in 0..<count {
            guard let node = removeShortText(), let first = removeEpoch(), let role = popFirst()
            else { return nil }
            nodes.append(node)
            since[node] = first
            if role & 1 != 0 { from.append(node) }
            if role & 2 != 0 { to.append(node) }
        }
        guard !nodes.isEmpty else { return nil }
        let placement =
            flags & 1 == 0
            ? DatabasePlacement(epoch: epoch, nodes: nodes, since: since)
            : DatabasePlacement(epoch: epoch, movingFrom: from, to: to, since: since)
        return PlacementNews.Entry(name, placement, isCopied: flags & 2 != 0)
    }

    private mutating func removeEpoch() -> UInt32? {
        guard count >= 4 else { return nil }
        defer { removeFirst(4) }
        return prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

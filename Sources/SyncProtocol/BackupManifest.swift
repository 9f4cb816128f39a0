public import DataTree

/// The description of a backup: of which cluster and node it is, and which databases it has.
///
/// `{format: 1, cluster, node, milliseconds, databases: {NAME: {isCopied, epoch?, nodes?, moving?}}}`
public struct BackupManifest: Equatable, Sendable {
    /// A database that the node knew.
    public struct Database: Equatable, Sendable {
        /// Whether the backup has a copy of it.
        public var isCopied: Bool
        /// The nodes that held it; nil if all nodes did.
        public var placement: DatabasePlacement?

        public init(isCopied: Bool, placement: DatabasePlacement? = nil) {
            (self.isCopied, self.placement) = (isCopied, placement)
        }
    }

    /// The form of this version.
    public static let format = 1

    /// The name of the cluster.
    public let cluster: String
    /// The name of the node that wrote the backup.
    public let node: String
    /// The beginning of the backup, in milliseconds since 1970.
    public let milliseconds: UInt64
    /// All databases that the node knew, with the default one and the catalog.
    public var databases: [DatabaseName: Database]

    public init(
        cluster: String, node: String, milliseconds: UInt64,
        databases: [DatabaseName: Database]
    ) {
        (self.cluster, self.node) = (cluster, node)
        (self.milliseconds, self.databases) = (milliseconds, databases)
    }

    /// Reads a manifest; nil if the value is none of this format.
    public init?(_ value: Value) {
        guard value[Key(unchecked: "format")].number == .integer(Int64(Self.format)),
            case .string(let cluster) = value[Key(unchecked: "cluster")],
            case .string(let node) = value[Key(unchecked: "node")],
            case .integer(let milliseconds)? = value[Key(unchecked: "milliseconds")].number,
            let milliseconds = UInt64(exactly: milliseconds)
        else { return nil }
        var databases: [DatabaseName: Database] = [:]
        for (key, entry) in value[Key(unchecked: "databases")].children {
            guard let name = DatabaseName(stored: key.text),
                case .boolean(let isCopied) = entry[Key(unchecked: "isCopied")]
            else { return nil }
            databases[name] = Database(isCopied: isCopied, placement: DatabasePlacement(entry))
        }
        self.init(
            cluster: cluster, node: node, milliseconds: milliseconds, databases: databases)
    }

    /// The manifest as the backup has it.
    public var value: Value {
        let entries = databases.sorted { $0.key < $1.key }.map { name, database in
            let placement = database.placement?.value.children.map { ($0.key.text, $0.value) } ?? []
            return (
                name.text,
                Value.object(named: [("isCopied", .boolean(database.isCopied))] + placement)
            )
        }
        return .object(named: [
            ("format", .integer(Int64(Self.format))), ("cluster", .string(cluster)),
            ("node", .string(node)), ("milliseconds", .integer(Int64(clamping: milliseconds))),
            ("databases", .object(named: entries)),
        ])
    }

    /// The names of the databases that the backup has copies of, ascending.
    public var copied: [DatabaseName] { databases.filter(\.value.isCopied).keys.sorted() }
}

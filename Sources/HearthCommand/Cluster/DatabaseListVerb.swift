internal import ClusterAdministration
internal import CommandLineKit
internal import JSONText
internal import SyncProtocol

/// `hearth database list`: the databases of a cluster, with their use at a node.
enum DatabaseListVerb {
    static let verb = Verb(
        "list",
        "Prints the databases of a cluster as a node knows them, with their state, size and use at that node, and "
            + "the nodes that hold them. A size with ~ is still being counted, or that of a file. A sleeping database has the size "
            + "that its data had when it fell asleep. A database with the state \"elsewhere\" is on other nodes alone.",
        options: [json] + NodeClient.options,
        examples: ["hearth database list", "hearth database list --json --node n2"]
    ) { invocation throws(CommandError) in
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(5)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let databases = try NodeOptions.servers(of: invocation).firstAnswer {
            server throws(CommandError) in try probe.databases(at: server, within: limit)
        }
        let lines =
            invocation.has(json)
            ? databases.map { JSONWriter.text(of: $0.entry) }
            : DatabaseTable(databases).lines
        for line in lines { StandardOutput.shared.print(line) }
        return .success
    }

    private static let json = Option(flag: "json", "Print one JSON object for each database.")
}

/// The databases of a node as lines of columns.
struct DatabaseTable {
    let lines: [String]

    private static let titles = ["NAME", "STATE", "SIZE", "OPERATIONS", "CONNECTIONS", "NODES"]
    /// The columns with numbers, which end at the same place.
    private static let numbers = 2..<5

    init(_ databases: [ListedDatabase]) {
        let rows =
            [DatabaseTable.titles]
            + databases.map { database in
                [
                    database.name.text, database.state ?? "-",
                    database.dataBytes.map {
                        (database.isEstimate ? "~" : "") + DatabaseTable.size($0)
                    } ?? "-",
                    database.number("operations").map(String.init) ?? "-",
                    database.number("connections").map(String.init) ?? "-",
                    DatabaseTable.nodes(of: database.placement, against: database.rival),
                ]
            }
        let widths = DatabaseTable.titles.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        let kept = databases.flatMap { database in
            database.kept.map {
                "this node keeps files of \(database.name) aside: \($0) (`hearth database kept`)"
            }
        }
        lines =
            rows.map { row in
                row.indices.map { column in
                    if column == row.count - 1 { return row[column] }
                    let padding = String(repeating: " ", count: widths[column] - row[column].count)
                    return DatabaseTable.numbers.contains(column)
                        ? padding + row[column] : row[column] + padding
                }.joined(separator: "  ")
            } + kept
    }

    private static func nodes(
        of placement: DatabasePlacement?, against rival: DatabasePlacement?
    ) -> String {
        guard let placement else { return "all" }
        if let rival {
            let lists = [placement, rival].map { ($0.move?.to ?? $0.nodes).joined(separator: ",") }
            return "placed twice: \(lists[0]) and \(lists[1])"
        }
        guard let move = placement.move else { return placement.nodes.joined(separator: ",") }
        return
            "moves from \(move.from.joined(separator: ",")) to \(move.to.joined(separator: ","))"
    }

    /// A size in the largest unit of which it has one.
    static func size(_ bytes: Int) -> String {
        if bytes < 1_000 { return "\(bytes) B" }
        var (size, units) = (bytes, ["kB", "MB", "GB", "TB"][...])
        while size >= 999_950, units.count > 1 { (size, units) = (size / 1_000, units.dropFirst()) }
        let tenths = (size + 50) / 100
        return "\(tenths / 10).\(tenths % 10) \(units.first!)"
    }
}

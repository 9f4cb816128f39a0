internal import DataTree
internal import JSONText
internal import SyncProtocol

// The databases in `/.inspect/databases.json` and `/metrics`.

extension GatewayContext {
    /// The answer with the list of databases. Their names are as in Firebase's emulator. A database that is not on all nodes has its
    /// placement, and one that this node holds has its use.
    var databaseList: Answer {
        let held = Set(databaseUses.map(\.name))
        let others = databases.placements.keys.filter { !held.contains($0) }
        let entries =
            databaseUses.map { ($0.name, use($0)) }
            + others.map { ($0, [("state", .string("elsewhere"))]) }
        let texts = entries.sorted { $0.0 < $1.0 }.map { name, use in
            let entry = Value.object(named: facts(of: name) + use)
            return JSONWriter.text(of: entry)
        }
        return Answer(
            AnswerText(Array("[\(texts.joined(separator: ","))]\n".utf8)),
            type: "application/json; charset=utf-8")
    }

    /// The facts of a database that are the same at all nodes: its name, limits and placement.
    private func facts(of name: DatabaseName) -> [(String, Value)] {
        var members: [(String, Value)] = [("name", .string(name.text))]
        let limits = lasting.limits.limits(of: name)
        if !limits.isEmpty { members.append(("limits", limits.value)) }
        if let (placement, _) = databases.placements[name] {
            members += placement.value.children.map { ($0.key.text, $0.value) }
        }
        if let rival = databases.rivals[name] { members.append(("rival", rival.value)) }
        let kept = databases.kept.filter { $0.name == name }
        if !kept.isEmpty {
            let sizes = kept.map { ($0.entry, Value.integer(Int64($0.bytes))) }
            members.append(("kept", .object(named: sizes)))
        }
        return members
    }

    /// The use of a database at this node.
    private func use(_ use: DatabaseUse) -> [(String, Value)] {
        var members: [(String, Value)] = [
            ("state", .string(use.state.rawValue)),
            ("dataBytes", .integer(Int64(use.dataBytes))),
            ("connections", .integer(Int64(lasting.count(of: use.name)))),
        ]
        if use.isEstimate { members.append(("isEstimate", .boolean(true))) }
        if let count = use.operations { members.append(("operations", .integer(Int64(count)))) }
        let refusals = refusals(of: use).map { ($0.key.rawValue, Value.integer(Int64($0.value))) }
        if !refusals.isEmpty { members.append(("refusals", .object(named: refusals))) }
        return members
    }

    /// Appends the metrics of the databases: the largest ones by name, and the rest together.
    func appendDatabases(to text: inout MetricsText) {
        let rows = DatabaseRow.rows(
            databaseUses.map { use in
                DatabaseRow(
                    name: use.name.text, isAwake: use.state == .asleep ? 0 : 1,
                    dataBytes: use.dataBytes, operations: use.operations ?? 0,
                    connections: lasting.count(of: use.name), refusals: refusals(of: use))
            })
        let gauges: [(name: String, help: String, value: KeyPath<DatabaseRow, Int>)] = [
            ("database_awake", "Databases that do not sleep.", \.isAwake),
            ("database_data_bytes", "The bytes of the data.", \.dataBytes),
            ("database_operations", "The operations of all nodes, as far as known.", \.operations),
            ("database_connections", "Streams and sessions of clients.", \.connections),
        ]
        for gauge in gauges {
            text.begin(gauge.name, .gauge, gauge.help)
            for row in rows { text.append(row[keyPath: gauge.value], ["database": row.name]) }
        }
        text.begin(
            "kept_database_bytes", .gauge,
            "The files that the node keeps aside, as they may have operations that no other node has."
        )
        text.append(databases.kept.reduce(0) { $0 + $1.bytes })
        text.begin("contested_databases", .gauge, "Databases that were placed twice in one epoch.")
        text.append(databases.rivals.count)
        guard rows.contains(where: { !$0.refusals.isEmpty }) else { return }
        text.begin(
            "database_refused_total", .counter, "Requests that a limit of the database refused.")
        for row in rows {
            for kind in DatabaseLimits.Kind.allCases {
                guard let count = row.refusals[kind] else { continue }
                text.append(count, ["database": row.name, "limit": kind.label])
            }
        }
    }

    private func refusals(of use: DatabaseUse) -> [DatabaseLimits.Kind: Int] {
        var refusals = use.refusals
        let count = lasting.refusalCount(of: use.name)
        if count > 0 { refusals[.connections] = count }
        return refusals
    }
}

/// The metrics of a database, or of several together.
struct DatabaseRow: Equatable {
    /// The most databases that are shown by name.
    static let limit = 50
    /// The name of all others: no database has it.
    static let othersName = "_other"

    var name: String
    var isAwake = 0
    var dataBytes = 0
    var operations = 0
    var connections = 0
    var refusals: [DatabaseLimits.Kind: Int] = [:]

    /// The largest databases, in the order of their names, and a row of all others.
    static func rows(_ all: [DatabaseRow]) -> [DatabaseRow] {
        let sorted = all.sorted { ($1.dataBytes, $0.name) < ($0.dataBytes, $1.name) }
        let shown = sorted.prefix(limit).sorted { $0.name < $1.name }
        guard all.count > limit else { return shown }
        var others = DatabaseRow(name: othersName)
        for row in sorted.dropFirst(limit) { others.add(row) }
        return shown + [others]
    }

    private mutating func add(_ other: DatabaseRow) {
        isAwake += other.isAwake
        dataBytes += other.dataBytes
        operations += other.operations
        connections += other.connections
        refusals.merge(other.refusals, uniquingKeysWith: +)
    }
}

internal import Storage
internal import Store

/// The statements on one table, each for an owner and a range of numbers.
struct TableStatements {
    let insert: Statement
    let select: Statement
    let last: Statement
    let remove: Statement
    private let firstOwner: Statement?
    private let nextOwner: Statement?
    private let hasRows: Statement

    init(of table: Table, on connection: Connection) throws(StorageError) {
        let name = TableStatements.name(of: table)
        // The rows of a table without owners have the owner 0.
        let number = table.hasOwners ? "first" : "id"
        let end = table == .batch ? "last" : number
        let range =
            (table.hasOwners ? "origin = ?1 AND " : "") + "\(number) BETWEEN ?2 AND ?3"
        let columns =
            switch table {
            case .batch: "?1, ?2, ?3, ?4"
            case .orphan: "?1, ?2, ?4"
            case .row, .received: "?2, ?4"
            }
        insert = try connection.prepare("INSERT INTO \(name) VALUES (\(columns))")
        select = try connection.prepare(
            "SELECT \(number), \(end), bytes FROM \(name) WHERE \(range) ORDER BY \(number)")
        last = try connection.prepare("SELECT max(\(number)) FROM \(name) WHERE \(range)")
        remove = try connection.prepare(
            """
            DELETE FROM \(name) WHERE \(table.hasOwners ? "origin = ?1 AND " : "")\(number) IN (
                SELECT \(number) FROM \(name) WHERE \(range) ORDER BY \(number) LIMIT ?4)
            RETURNING length(bytes)
            """)
        hasRows = try connection.prepare("SELECT 1 FROM \(name) LIMIT 1")
        guard table.hasOwners else {
            (firstOwner, nextOwner) = (nil, nil)
            return
        }
        firstOwner = try connection.prepare("SELECT min(origin) FROM \(name)")
        nextOwner = try connection.prepare("SELECT min(origin) FROM \(name) WHERE origin > ?1")
    }

    /// The name of a table in databases of this format.
    static func name(of table: Table) -> String {
        switch table {
        case .batch: "batch"
        case .row: "row"
        case .received: "staged"
        case .orphan: "aside"
        }
    }

    /// The owners of rows, found by one query each.
    func owners() throws(StorageError) -> [UInt64] {
        guard let firstOwner, let nextOwner else {
            return try hasRows.firstRow { _ in [0] } ?? []
        }
        var owners: [UInt64] = []
        var next = try firstOwner.firstRow { $0.optionalInteger(at: 0) } ?? nil
        while let owner = next {
            owners.append(UInt64(bitPattern: owner))
            nextOwner.bind(owner, at: 1)
            next = try nextOwner.firstRow { $0.optionalInteger(at: 0) } ?? nil
        }
        return owners
    }
}

extension Table {
    /// Whether the table may have rows of more than one owner.
    fileprivate var hasOwners: Bool { self == .batch || self == .orphan }
}

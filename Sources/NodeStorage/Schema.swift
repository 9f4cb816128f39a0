internal import Storage

/// Creates the tables of an empty database, and refuses a file of another format.
enum Schema {
    static let version: Int64 = 4
    /// "HRTH": distinguishes a node's database from other SQLite databases.
    static let applicationID: Int64 = 0x4852_5448

    static func prepare(_ connection: Connection) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            if try isEmpty(connection) {
                try connection.execute(tables)
            } else {
                try checkFormat(of: connection)
            }
        }
    }

    private static let tables = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE batch (
            origin INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (origin, first)
        ) WITHOUT ROWID;
        CREATE TABLE row (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE staged (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE aside (
            origin INTEGER NOT NULL, first INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (origin, first)
        ) WITHOUT ROWID;
        CREATE TABLE property (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        """

    private static func isEmpty(_ connection: Connection) throws(StorageError) -> Bool {
        try integer("SELECT count(*) FROM sqlite_schema", connection) == 0
    }

    private static func checkFormat(of connection: Connection) throws(StorageError) {
        guard try integer("PRAGMA application_id", connection) == applicationID else {
            throw StorageError(
                code: .wrongFormat,
                problem: "\(connection.path) is a database of another program",
                fix: "choose another folder for this node, or move the file away")
        }
        let found = try integer("PRAGMA user_version", connection)
        guard found == version else {
            throw StorageError(
                code: .wrongFormat,
                problem: "database \(connection.path) has format \(found), "
                    + "and this version of Hearth reads format \(version)",
                fix: "start it with the version of Hearth that wrote it, or move the file away: "
                    + "the node then fetches the data from its peers")
        }
    }

    private static func integer(
        _ query: String, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        try connection.prepare(query).firstRow { $0.integer(at: 0) } ?? 0
    }
}

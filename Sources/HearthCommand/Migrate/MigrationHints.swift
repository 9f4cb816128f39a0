internal import Sockets
internal import SyncProtocol

/// The lines of apps that change when their data move to a cluster.
struct MigrationHints {
    /// The nodes of the cluster, at least one.
    let servers: [HTTPAddress]
    let database: DatabaseName

    /// The address that replaces the database URL of Firebase.
    var url: String { "\(servers[0].location)?ns=\(database)" }

    /// One line for each kind of client.
    var lines: [(client: String, line: String)] {
        let server = servers[0]
        let (host, port) = (server.host, server.port)
        if server.trust != nil {
            return [
                ("JavaScript", "getDatabase(app, \"\(url)\")"),
                ("admin SDKs", "databaseURL: \"\(url)\""),
                ("iOS", "Database.database(url: \"\(url)\")"),
                ("Android", "FirebaseDatabase.getInstance(\"\(url)\")"),
                ("Flutter", "FirebaseDatabase.instanceFor(app: app, databaseURL: '\(url)')"),
                ("REST", "\(server.location)/PATH.json?ns=\(database)"),
            ]
        }
        let general: [(client: String, line: String)] = [
            (
                "JavaScript",
                "connectDatabaseEmulator(getDatabase(app, \"\(url)\"), \"\(host)\", \(port))"
            ),
            (
                "admin SDKs",
                "FIREBASE_DATABASE_EMULATOR_HOST=\(server.authority) in the environment, databaseURL: \"\(url)\""
            ),
        ]
        let go: [(client: String, line: String)] =
            server.goAuthority.map {
                [("Go admin", "DatabaseURL: \"\($0)?ns=\(database)\"")]
            } ?? []
        let mobile: [(client: String, line: String)] = [
            ("iOS", "Database.database(url: \"\(url)\")"),
            ("Android", "FirebaseDatabase.getInstance(\"\(url)\")"),
            (
                "Flutter",
                "FirebaseDatabase.instanceFor(app: app, databaseURL: '\(url)').useDatabaseEmulator('\(host)', \(port))"
            ),
            ("REST", "\(server.location)/PATH.json?ns=\(database)"),
        ]
        return general + go + mobile
    }
}

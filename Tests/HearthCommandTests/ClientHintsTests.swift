import Sockets
import Testing

@testable import HearthCommand

@Suite struct `Hints for clients` {
    private func line(for client: String, at address: String) throws -> String {
        let hints = ClientHints(address: try #require(HTTPAddress(address)))
        return try #require(hints.lines.first { $0.client == client }).line
    }

    @Test(
        arguments: [
            ("browser", "http://127.0.0.1:7001/"),
            ("hearth", "hearth get / --node http://127.0.0.1:7001"),
            ("curl", "curl http://127.0.0.1:7001/.json"),
            ("JavaScript", #"connectDatabaseEmulator(getDatabase(app), "127.0.0.1", 7001)"#),
            (
                "admin SDKs",
                "FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:7001, "
                    + "database URL http://127.0.0.1:7001?ns=default"
            ),
            ("Go admin", #"DatabaseURL: "localhost:7001?ns=default""#),
            ("iOS", #"Database.database().useEmulator(withHost: "127.0.0.1", port: 7001)"#),
            ("Android", #"FirebaseDatabase.getInstance().useEmulator("10.0.2.2", 7001)"#),
            ("Flutter", "FirebaseDatabase.instance.useDatabaseEmulator('127.0.0.1', 7001)"),
        ])
    func `point each kind of client at the node`(client: String, line: String) throws {
        #expect(try self.line(for: client, at: "http://127.0.0.1:7001") == line)
    }

    @Test func `keep the host that an Android phone reaches, and IPv6 in brackets in URLs`() throws
    {
        #expect(
            try line(for: "Android", at: "http://db.lan:80")
                == #"FirebaseDatabase.getInstance().useEmulator("db.lan", 80)"#)
        #expect(try line(for: "curl", at: "http://[::1]:7001") == "curl http://[::1]:7001/.json")
    }

    @Test(arguments: [
        ("http://127.0.0.1:7001", "localhost:7001"), ("http://[::1]:7001", "localhost:7001"),
        ("http://db.lan:80", "db.lan:80"), ("http://10.0.0.1:7001", nil),
        ("http://[fd00::1]:7001", nil),
    ])
    func `give Go a host whose beginning is no number`(address: String, host: String?) throws {
        #expect(try #require(HTTPAddress(address)).goAuthority == host)
    }
}

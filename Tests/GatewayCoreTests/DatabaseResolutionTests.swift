import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

@Suite struct DatabaseResolutionTests {
    /// A request, the setting, and the database that it concerns, or the status of the refusal.
    struct Case: CustomTestStringConvertible, Sendable {
        let target: String
        let host: String
        let unknown: UnknownDatabases
        let result: String

        var testDescription: String { "\(target) at \(host), \(unknown.rawValue): \(result)" }
    }

    private static func cases(
        _ target: String, at host: String = "localhost:7001", default useDefault: String,
        create: String, refuse: String
    ) -> [Case] {
        [
            Case(target: target, host: host, unknown: .useDefault, result: useDefault),
            Case(target: target, host: host, unknown: .create, result: create),
            Case(target: target, host: host, unknown: .refuse, result: refuse),
        ]
    }

    /// The node has the databases `chat`, `game` and `10`, and room for one more.
    static let all: [Case] =
        cases("/.json", default: "default", create: "default", refuse: "default")
        + cases("/.json?ns=", default: "default", create: "default", refuse: "default")
        + cases("/.json?ns=default", default: "default", create: "default", refuse: "default")
        + cases("/.json?ns=chat", default: "chat", create: "chat", refuse: "chat")
        + cases("/.json?a=1&ns=chat&b=2", default: "chat", create: "chat", refuse: "chat")
        + cases("/.json?ns=zoo", default: "default", create: "zoo", refuse: "404")
        + cases("/.json?ns=Zoo", default: "default", create: "zoo", refuse: "404")
        + cases("/.json?ns=Chat", default: "chat", create: "chat", refuse: "chat")
        + cases("/.json?ns=a_b", default: "default", create: "400", refuse: "404")
        + cases(
            "/.json?ns=_catalog", default: "_catalog", create: "_catalog", refuse: "_catalog")
        + cases(
            "/status?ns=_catalog", default: "_catalog", create: "_catalog", refuse: "_catalog")
        // Other protocols cannot use the catalog.
        + cases("/.ws?ns=_catalog", default: "default", create: "400", refuse: "404")
        + cases("/.hearth/_catalog", default: "404", create: "400", refuse: "404")
        + cases(
            "/.json", at: "chat.db.example.com", default: "chat", create: "chat", refuse: "chat")
        + cases(
            "/.json?ns=game", at: "chat.db.example.com:443", default: "game", create: "game",
            refuse: "game")
        // A host alone creates nothing, and an unknown one is the default database.
        + cases(
            "/.json", at: "zoo.db.example.com", default: "default", create: "default",
            refuse: "default")
        + cases(
            "/.json", at: "chat.local", default: "default", create: "default", refuse: "default")
        // An address has no labels, and SDKs send its first number if the URL has no `ns`.
        + cases("/.json", at: "10.0.0.1", default: "default", create: "default", refuse: "default")
        + cases("/.json", at: "[10::1]", default: "default", create: "default", refuse: "default")
        + cases(
            "/.hearth", at: "10.0.0.1", default: "default", create: "default", refuse: "default")
        + cases(
            "/.json?ns=127", at: "127.0.0.1:7001", default: "default", create: "default",
            refuse: "default")
        + cases("/.json?ns=127", at: "10.0.0.1", default: "default", create: "127", refuse: "404")
        + cases("/.json?ns=12", at: "127.0.0.1", default: "default", create: "12", refuse: "404")
        + cases("/.json?ns=10", at: "10.0.0.1", default: "10", create: "10", refuse: "10")
        + cases("/.hearth/127", at: "127.0.0.1", default: "404", create: "127", refuse: "404")
        + cases("/.hearth/chat", default: "chat", create: "chat", refuse: "chat")
        // A native client asks for this database and no other.
        + cases("/.hearth/zoo", default: "404", create: "zoo", refuse: "404")
        // A command creates nothing, whatever its user has misspelt.
        + cases("/.hearth/zoo?create=false", default: "404", create: "404", refuse: "404")
        + cases("/.hearth/chat?create=false", default: "chat", create: "chat", refuse: "chat")
        + cases("/.hearth", default: "default", create: "default", refuse: "default")

    private func context(_ unknown: UnknownDatabases, limit: Int = 4) -> GatewayContext {
        var configuration = GatewayConfiguration()
        (configuration.unknownDatabases, configuration.databaseLimit) = (unknown, limit)
        var context = GatewayContext(configuration)
        for name in ["chat", "game", "10"] { context.databases.locate(DatabaseName(name)!, .here) }
        return context
    }

    private func head(_ target: String, at host: String) throws -> RequestHead {
        var reader = RequestReader(limits: HTTPLimits())
        reader.receive(Array("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
        guard case .head(let head)? = reader.next() else { throw NoHead() }
        return head
    }

    private let client = "127.0.0.1"

    private struct NoHead: Error {}

    private func result(of test: Case) throws -> String {
        var context = context(test.unknown)
        let head = try head(test.target, at: test.host)
        do throws(RestFailure) {
            return try context.database(of: head, from: client).text
        } catch {
            return "\(error.status)"
        }
    }

    @Test(arguments: all)
    func `a request concerns the database of ns, else of its host, else the default one`(
        test: Case
    ) throws { #expect(try result(of: test) == test.result) }

    @Test func `no database is created beyond the limit`() throws {
        var context = context(.create, limit: 3)
        let head = try head("/.json?ns=zoo", at: "localhost")
        let error = #expect(throws: RestFailure.self) {
            try context.database(of: head, from: client)
        }
        #expect(error?.status == 507 && error?.problem.contains("3 databases") == true)
        #expect(throws: Never.self) {
            try context.database(of: self.head("/.json?ns=chat", at: "localhost"), from: client)
        }
    }

    @Test func `a database of other nodes has a known name, and uses the room of one`() throws {
        let zoo = DatabaseName("zoo")!
        for place in [DatabasePlace.elsewhere(nodes: ["n2"], epoch: 4), .moving] {
            var context = context(.create)
            context.databases.locate(zoo, place)
            #expect(context.databases.place(of: zoo) == place)
            #expect(context.databases.names.contains(zoo))
            let error = #expect(throws: RestFailure.self) {
                try context.database(of: self.head("/.json?ns=farm", at: "localhost"), from: client)
            }
            #expect(error?.problem.contains("4 databases") == true)
            context.databases.locate(zoo, .here)
            #expect(context.databases.place(of: zoo) == .here)
            context.databases.locate(zoo, place)
            context.databases.remove(zoo)
            #expect(context.databases.place(of: zoo) == .here)
        }
    }

    @Test func `an unknown name is refused while the databases of peers are unknown`() throws {
        for unknown in UnknownDatabases.allCases {
            var context = context(unknown)
            context.databases.isComplete = false
            let zoo = try head("/.json?ns=zoo", at: "localhost")
            if unknown == .create {
                #expect(try context.database(of: zoo, from: client).text == "zoo")
            } else {
                let error = #expect(throws: RestFailure.self) {
                    try context.database(of: zoo, from: client)
                }
                #expect(error?.status == 503 && error?.isPassing == true)
            }
            let chat = try context.database(
                of: head("/.json?ns=chat", at: "localhost"), from: client)
            #expect(chat.text == "chat")
        }
    }

    @Test func `the log reports once that a name means the default database`() throws {
        var context = context(.useDefault)
        for target in ["/.json?ns=zoo", "/.json?ns=zoo", "/.json?ns=chat", "/.json?ns=default"] {
            _ = try context.database(of: head(target, at: "localhost"), from: client)
        }
        let lines = context.removeOutputs().compactMap { output in
            if case .log(let line) = output { line } else { nil }
        }
        #expect(lines.count == 1 && lines.first?.contains("\"zoo\"") == true)
    }
}

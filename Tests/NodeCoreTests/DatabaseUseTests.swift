import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol
import Testing

/// The limits of databases at a node, and the use that it reports.
@Suite struct DatabaseUseTests {
    private static let chat = DatabaseName("chat")!

    private func limits(_ kind: DatabaseLimits.Kind, _ number: Int) -> DatabaseLimits {
        var limits = DatabaseLimits()
        limits[kind] = number
        return limits
    }

    private func list(_ rig: inout DatabasesRig) -> String {
        rig.answer(to: CoreRig.get("/.inspect/databases.json?ns=none")).body
    }

    @Test func `a limit concerns its database alone, also after the database has slept`() {
        var rig = DatabasesRig(sleepingAfter: 100)
        rig.change { $0.setLimits(limits(.writesPerSecond, 1), of: Self.chat) }
        for _ in 0..<2 {
            #expect(rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat")).status == "200")
            #expect(rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat")).status == "429")
            #expect(rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=game")).status == "200")
            #expect(rig.patientAnswer(to: CoreRig.put("1")).status == "200")
            rig.run(for: 3_000)
            #expect(rig.cores[0].awakeDatabaseNames.isEmpty)
        }
        #expect(list(&rig).contains(#""refusals":{"writesPerSecond":2}"#), "\(list(&rig))")
    }

    @Test func `requests of a named database that wait long are logged, each once`() {
        var rig = DatabasesRig(3)
        _ = rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 3_000)
        #expect(rig.removeRequestRecords() == [])
        for key in ["b", "c"] {
            rig.cut = [1, 2]
            // The coordinator cannot decide it now.
            let put = CoreRig.put("1", to: "/\(key).json?ns=chat")
                .replacing("Host:", with: "if-match: null_etag\r\nHost:")
            rig.send(put, by: rig.connect())
            rig.run(for: 1_500)
            rig.cut = []
            rig.run(for: 3_000)
            let locations = rig.removeRequestRecords().map { $0.location?.description }
            #expect(locations == ["/\(key)"])
            #expect(rig.removeRequestRecords() == [])
        }
    }

    @Test func `a limit of a database that is awake applies at once`() {
        var rig = DatabasesRig()
        #expect(rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat")).status == "200")
        rig.change { $0.setLimits(limits(.dataBytes, 16), of: Self.chat) }
        #expect(
            rig.patientAnswer(to: CoreRig.put("\"more\"", to: "/b.json?ns=chat")).status == "200")
        let refused = rig.patientAnswer(to: CoreRig.put("\"long text\"", to: "/b.json?ns=chat"))
        #expect(refused.status == "507")
        #expect(refused.body.contains("The database is full: it may have 16 bytes of data."))
        rig.change { $0.setLimits(DatabaseLimits(), of: Self.chat) }
        #expect(
            rig.patientAnswer(to: CoreRig.put("\"long text\"", to: "/b.json?ns=chat")).status
                == "200")
    }

    @Test func `the catalog sets the limits of all databases`() {
        var rig = DatabasesRig()
        func catalog(_ entries: [(String, Value)]) -> Value {
            .object(named: [
                (
                    "databases",
                    .object(named: entries.map { ($0.0, .object(named: [("limits", $0.1)])) })
                )
            ])
        }
        func put() -> String {
            rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat")).status
        }
        let one = Value.object(named: [("writesPerSecond", .integer(1))])
        rig.change { $0.setLimits(in: catalog([("chat", one), ("default", one)])) }
        #expect(
            [put(), put(), rig.patientAnswer(to: CoreRig.put("1")).status] == ["200", "429", "200"])
        #expect(rig.patientAnswer(to: CoreRig.put("1")).status == "429")
        rig.change {
            $0.setLimits(in: catalog([("chat", .object(named: [("writes", .integer(1))]))]))
        }
        #expect([put(), put()] == ["200", "200"])
        rig.run()
        #expect(
            rig.log.last?.contains("chat: the limits of a database have the unknown limit") == true)
        #expect(rig.patientAnswer(to: CoreRig.put("1")).status == "200")
    }

    @Test func `the default database may have limits`() {
        var rig = DatabasesRig()
        rig.change { $0.setLimits(limits(.writesPerSecond, 1), of: .default) }
        #expect(rig.patientAnswer(to: CoreRig.put("1")).status == "200")
        #expect(rig.patientAnswer(to: CoreRig.put("1")).status == "429")
        #expect(rig.answer(to: CoreRig.get()).status == "200")
    }

    @Test func `the list shows the use of databases, asleep or awake, and wakes none`() {
        var rig = DatabasesRig(sleepingAfter: 100)
        _ = rig.patientAnswer(to: CoreRig.put("\"text\"", to: "/a.json?ns=chat"))
        rig.run(for: 3_000)
        let wakes = rig.wakeCount
        let expected =
            #"[{"connections":0,"dataBytes":5,"name":"chat","operations":1,"state":"asleep"},"#
            + #"{"connections":0,"dataBytes":0,"name":"default","operations":0,"state":"awake"}]"#
        #expect(list(&rig) == expected + "\n")
        #expect(rig.answer(to: CoreRig.get("/.inspect/databases.json?ns=chat")).status == "200")
        #expect(rig.wakeCount == wakes)
    }

    @Test func `a database that was never awake has the size of its file`() {
        var core = CoreRig().core
        core.addStoredDatabase(Self.chat, fileBytes: 4_096)
        #expect(
            core.databaseUses() == [
                DatabaseUse(.default, .awake, dataBytes: 0, operations: 0),
                DatabaseUse(Self.chat, .asleep, dataBytes: 4_096, isEstimate: true),
            ])
        #expect(core.largestDatabases(1).map(\.name) == [Self.chat])
    }

    @Test func `metrics show the databases`() {
        var rig = DatabasesRig()
        rig.change { $0.setLimits(limits(.writesPerSecond, 1), of: Self.chat) }
        for _ in 0..<2 { _ = rig.patientAnswer(to: CoreRig.put("1", to: "/a.json?ns=chat")) }
        let text = rig.answer(to: CoreRig.get("/metrics")).body
        for line in [
            #"hearth_database_data_bytes{database="chat"} 9"#,
            #"hearth_database_operations{database="chat"} 1"#,
            #"hearth_database_awake{database="default"} 1"#,
            #"hearth_database_refused_total{database="chat",limit="writes_per_second"} 1"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }
}

extension DatabasesRig {
    /// The answer to a request, which may be a refusal that waits a moment.
    fileprivate mutating func patientAnswer(to request: String) -> (status: String, body: String) {
        let session = connect()
        send(request, by: session)
        run(for: 150)
        close(session)
        return DatabasesRig.parts(of: received(session))
    }
}

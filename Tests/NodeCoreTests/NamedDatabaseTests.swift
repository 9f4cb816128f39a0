import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import Store
import SyncProtocol
import Testing

/// Nodes with several databases.
@Suite struct NamedDatabaseTests {
    private let chat = DatabaseName("chat")!

    private func value(_ name: DatabaseName, of core: NodeCore) -> Value? {
        name.isDefault ? core.replica.value : core.replica(of: name)?.value
    }

    private func text(_ name: DatabaseName, of core: NodeCore) -> String? {
        value(name, of: core).map { "\($0[Path([Key(unchecked: "a")])])" }
    }

    @Test func `an old disk of the default database is one of those that sleep, too`() {
        let chat = DatabaseName("chat")!
        for (stored, isOld) in [([Property.lossOfLatestDisk], true), ([], false)] {
            let configuration = ReplicaConfiguration(
                cluster: "test", member: "n1", peers: ["n1", "n2"], durability: .commit, seed: 1)
            var core = NodeCore(
                Replica(configuration, properties: stored), GatewayConfiguration())
            core.addStoredDatabase(chat)
            let outputs = (1...3 as ClosedRange<UInt64>).flatMap { milliseconds in
                core.step(
                    .turnBegan(
                        Moment(wallMilliseconds: milliseconds, elapsedMilliseconds: milliseconds)))
                    + core.step(.turnEnded)
            }
            let distrusted = outputs.filter {
                if case .distrustDatabases = $0 { true } else { false }
            }
            #expect(distrusted == (isOld ? [.distrustDatabases([chat])] : []))
        }
    }

    @Test func `a database that opens after an old disk was found is as old as its files say`() {
        for isRead in [true, false] {
            let configuration = ReplicaConfiguration(
                cluster: "test", member: "n1", peers: ["n1", "n2"], durability: .commit, seed: 1)
            var core = NodeCore(
                Replica(configuration, properties: [.lossOfLatestDisk]), GatewayConfiguration())
            let database = core.addStoredDatabase(chat)
            if isRead { _ = core.openAll() }
            for milliseconds in 1...3 as ClosedRange<UInt64> {
                let now = Moment(
                    wallMilliseconds: milliseconds, elapsedMilliseconds: milliseconds)
                for input in [.turnBegan(now), .turnEnded] as [NodeInput] { _ = core.step(input) }
            }
            if !isRead { _ = core.openAll() }
            let files = [Property(.diskLoss, 0)]
            core.open(database, Replica(configuration, properties: files))
            #expect(core.replica(of: chat)?.isOnOldDisk == isRead)
        }
    }

    @Test func `a write changes its own database alone`() {
        var rig = DatabasesRig()
        #expect(rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat")) == ("200", "1"))
        #expect(rig.answer(to: CoreRig.put("2", to: "/a.json?ns=game")) == ("200", "2"))
        #expect(rig.answer(to: CoreRig.put("3")) == ("200", "3"))
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")).body == "1")
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=game")).body == "2")
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=default")).body == "3")
        #expect(rig.answer(to: CoreRig.put("null", to: "/.json?ns=chat")).status == "200")
        #expect(rig.answer(to: CoreRig.get("/.json?ns=chat")).body == "null")
        #expect(rig.answer(to: CoreRig.get("/.json?ns=game")).body == #"{"a":2}"#)
        #expect(rig.answer(to: CoreRig.get("/.json")).body == #"{"a":3}"#)
        #expect(rig.cores[0].databaseNames.map(\.text) == ["chat", "game"])
    }

    @Test func `requests of one connection may name different databases`() {
        var rig = DatabasesRig()
        let session = rig.connect()
        var bodies: [String] = []
        for (number, name) in ["chat", "game", "default", "chat", "game"].enumerated() {
            rig.send(CoreRig.put("\(number)", to: "/a.json?ns=\(name)"), by: session)
            rig.run()
            bodies.append(DatabasesRig.parts(of: rig.received(session)).body)
        }
        #expect(bodies == ["0", "1", "2", "3", "4"])
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")).body == "3")
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=game")).body == "4")
        #expect(rig.answer(to: CoreRig.get("/a.json")).body == "2")
    }

    @Test func `requests sent ahead reach the databases that they name`() {
        var rig = DatabasesRig()
        let session = rig.connect()
        for (number, name) in ["chat", "game", "chat"].enumerated() {
            rig.send(CoreRig.put("\(number)", to: "/a.json?ns=\(name)"), by: session)
        }
        rig.run(for: 60)
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")).body == "2")
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=game")).body == "1")
    }

    @Test func `all nodes have a database that one client names, and its data`() {
        var rig = DatabasesRig(3)
        let session = rig.connect()
        rig.send(CoreRig.put("1", to: "/a.json?ns=chat"), by: session)
        rig.run(for: 1_500)
        #expect(DatabasesRig.parts(of: rig.received(session)).body == "1")
        for core in rig.cores {
            #expect(core.databaseNames == [chat])
            #expect(text(chat, of: core) == "1" && core.replica.value.isNull)
        }
        #expect(rig.answer(to: CoreRig.put("2", to: "/a.json"), at: 1).body == "2")
        rig.run(for: 300)
        for core in rig.cores {
            #expect(text(chat, of: core) == "1" && text(.default, of: core) == "2")
        }
    }

    @Test func `a native client writes its own database alone`() {
        var rig = DatabasesRig()
        let session = rig.connect()
        let upgrade = CoreRig.upgrade.replacing("/.hearth ", with: "/.hearth/chat ")
        rig.send(upgrade, by: session)
        rig.run()
        let put = ClientMessage.put(
            id: 1, path: Path([Key(unchecked: "a")]), value: .integer(1))
        rig.send(put.frame, by: session)
        rig.run()
        #expect(text(chat, of: rig.cores[0]) == "1" && rig.cores[0].replica.value.isNull)
    }

    @Test func `requests wait until the driver has opened the database`() {
        var rig = DatabasesRig()
        rig.opensDatabases = false
        let session = rig.connect()
        rig.send(CoreRig.put("1", to: "/a.json?ns=chat"), by: session)
        rig.run(for: 200)
        #expect(rig.received(session) == [])
        #expect(rig.answer(to: CoreRig.put("2")).body == "2")
        rig.openDatabases()
        rig.run(for: 100)
        #expect(DatabasesRig.parts(of: rig.received(session)) == ("200", "1"))
    }

    @Test func `requests are refused if the database cannot be opened, and tried again later`() {
        var rig = DatabasesRig()
        rig.trouble = "the disk is full"
        let refused = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        #expect(refused.status == "503" && refused.body.contains("the disk is full"))
        rig.trouble = nil
        #expect(rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat")) == ("200", "2"))
    }

    @Test func `requests are refused if no other node answers for a new database`() {
        var rig = DatabasesRig(3)
        rig.isCut = true
        let session = rig.connect()
        rig.send(CoreRig.put("1", to: "/a.json?ns=chat"), by: session)
        rig.run(for: 14_000)
        #expect(rig.received(session) == [])
        rig.run(for: 2_000)
        let refused = DatabasesRig.parts(of: rig.received(session))
        #expect(refused.status == "503" && refused.body.contains("no other node has answered"))
        rig.isCut = false
        rig.run(for: 2_000)
        #expect(rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat")) == ("200", "2"))
    }

    @Test func `a frame of a named database reaches no other one`() {
        var rig = DatabasesRig(2)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 1_500)
        let before = rig.cores[1].replica.vector
        _ = rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat"))
        rig.run(for: 300)
        #expect(text(chat, of: rig.cores[1]) == "2")
        #expect(rig.cores[1].replica.vector == before && rig.cores[1].replica.value.isNull)
    }

    @Test func `a node opens no more databases than its limit`() {
        var rig = DatabasesRig(2, limit: 1)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 1_500)
        let refused = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=game"), at: 1)
        #expect(refused.status == "507" && refused.body.contains("1 databases"))
        #expect(rig.cores[1].databaseNames == [chat])
    }

    @Test func `the rules of one database do not apply to another`() {
        var rig = DatabasesRig()
        let rules = #"{"rules":{".read":false,".write":false}}"#
        let set = CoreRig.put(rules, to: "/.settings/rules.json?ns=chat")
        #expect(rig.answer(to: set).status == "200")
        let show = "/.settings/rules.json"
        #expect(rig.answer(to: CoreRig.get(show + "?ns=chat")).body.contains("\".read\":false"))
        #expect(!rig.answer(to: CoreRig.get(show)).body.contains("\".read\":false"))
        #expect(!rig.answer(to: CoreRig.get(show + "?ns=game")).body.contains("\".read\":false"))
    }

    @Test func `a database can be created and listed`() {
        var rig = DatabasesRig(1, .refuse)
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")).status == "404")
        let path = "/.settings/databases/chat.json"
        #expect(rig.answer(to: CoreRig.put("", to: path)) == ("200", #"{"name":"chat"}"#))
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")) == ("200", "null"))
        #expect(
            rig.answer(to: CoreRig.get("/.inspect/databases.json")).body
                == #"[{"connections":0,"dataBytes":0,"name":"chat","operations":0,"state":"awake"},"#
                + #"{"connections":0,"dataBytes":0,"name":"default","operations":0,"state":"awake"}]"#
                + "\n")
        let placement = #"{"epoch":0,"members":{"n1":true},"name":"chat"}"#
        #expect(rig.answer(to: CoreRig.get(path)) == ("200", placement))
        let post = CoreRig.put("", to: path).replacing("PUT", with: "POST")
        #expect(rig.answer(to: post).status == "405")
        let badName = CoreRig.put("", to: "/.settings/databases/a_b.json")
        #expect(rig.answer(to: badName).status == "400")
    }

    /// Each write has the name of its database as its value, so that a write at the wrong one shows.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `writes reach their database at all nodes, whatever frames are lost`(seed: UInt64) {
        var rig = DatabasesRig(3)
        var state = seed
        func draw(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let names = ["default", "chat", "game"]
        var acknowledged: [String: Set<String>] = [:]
        for number in 0..<60 {
            rig.isCut = number > 3 && draw(4) == 0
            let name = names[draw(names.count)]
            let request = CoreRig.put("\"\(name)\"", to: "/k\(number).json?ns=\(name)")
            if rig.answer(to: request, at: draw(3)).status == "200" {
                acknowledged[name, default: []].insert("k\(number)")
            }
        }
        rig.isCut = false
        rig.run(for: 4_000)
        #expect(acknowledged.values.reduce(0) { $0 + $1.count } > 20)
        for core in rig.cores {
            for name in names {
                let children = value(DatabaseName(name)!, of: core)?.children
                #expect(children?.allSatisfy { $0.value == .string(name) } == true)
                let keys = Set(children?.map(\.key.text) ?? [])
                #expect(keys.isSuperset(of: acknowledged[name] ?? []))
                #expect(
                    value(DatabaseName(name)!, of: rig.cores[0])
                        == value(DatabaseName(name)!, of: core))
            }
        }
    }
}

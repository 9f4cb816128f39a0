import NodeCore
import SyncProtocol
import Testing

/// The removal of databases, and the lists by which nodes learn of it.
@Suite struct DatabaseRemovalTests {
    private let chat = DatabaseName("chat")!
    private let path = "/.settings/databases/chat.json"

    private func delete(_ path: String) -> String {
        CoreRig.put("", to: path).replacing("PUT", with: "DELETE")
    }

    /// Nodes with the databases `chat` and `game`, which sleep.
    private func rig(_ count: Int = 3) -> DatabasesRig {
        var rig = DatabasesRig(count, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        _ = rig.answer(to: CoreRig.put("2", to: "/a.json?ns=game"))
        rig.run(for: 6_000)
        return rig
    }

    private func names(_ rig: DatabasesRig) -> [[String]] {
        rig.cores.map { $0.databaseNames.map(\.text) }
    }

    @Test func `a removed database is gone at all nodes, and its name is refused`() {
        var rig = rig()
        #expect(rig.answer(to: delete(path)) == ("200", #"{"name":"chat"}"#))
        rig.run(for: 100)
        #expect(names(rig) == [["game"], ["game"], ["game"]])
        #expect(rig.removals == [[chat], [chat], [chat]])
        for node in 0..<3 {
            let refused = rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node)
            #expect(refused.status == "404" && refused.body.contains("chat was removed"))
            let again = rig.answer(to: CoreRig.put("", to: path), at: node)
            #expect(again.status == "404" && again.body.contains("use another name"))
        }
        #expect(rig.answer(to: CoreRig.get("/.json")).body == "null")
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=game")).body == "2")
    }

    @Test func `clients of a removed database are disconnected, and its replica ends`() {
        var rig = rig()
        let session = rig.connect()
        rig.send(CoreRig.stream("/a.json?ns=chat"), by: session)
        rig.run(for: 500)
        #expect(rig.cores.allSatisfy { $0.awakeDatabaseNames.contains(chat) })
        #expect(rig.answer(to: delete(path), at: 1).status == "200")
        rig.run(for: 500)
        #expect(rig.cores.allSatisfy { $0.awakeDatabaseNames.isEmpty })
        let stream = String(decoding: rig.received(session), as: UTF8.self)
        #expect(stream.contains("event: cancel\ndata: null\n\n"), "\(stream)")
    }

    @Test func `a node that was away removes the database, and does not bring it back`() {
        var rig = rig()
        rig.cut = [2]
        rig.run(for: 3_000)
        #expect(rig.answer(to: delete(path)).status == "200")
        _ = rig.answer(to: CoreRig.put("3", to: "/b.json?ns=chat"), at: 2)
        rig.run(for: 1_000)
        #expect(names(rig) == [["game"], ["game"], ["chat", "game"]])
        rig.cut = []
        rig.run(for: 4_000)
        #expect(names(rig) == [["game"], ["game"], ["game"]])
        #expect(rig.cores.allSatisfy { !$0.awakeDatabaseNames.contains(chat) })
    }

    @Test func `a node that comes back learns the names of databases that sleep`() {
        var rig = DatabasesRig(3, .useDefault, sleepingAfter: 1_000)
        rig.cut = [2]
        rig.run(for: 3_000)
        #expect(rig.answer(to: CoreRig.put("", to: path)).status != "404")
        rig.run(for: 8_000)
        #expect(rig.cores[0].awakeDatabaseNames.isEmpty && names(rig)[2] == [])
        rig.cut = []
        rig.run(for: 1_000)
        #expect(names(rig)[2] == ["chat"])
    }

    @Test func `the default database and unknown ones cannot be removed`() {
        var rig = DatabasesRig(1, .useDefault)
        let root = rig.answer(to: delete("/.settings/databases/default.json"))
        #expect(root.status == "405" && root.body.contains("hearth remove /"))
        #expect(rig.answer(to: delete(path)).status == "404")
        #expect(rig.removals == [[]])
    }

    @Test func `lists of another cluster, and damaged ones, have no effect`() {
        var rig = rig(2)
        let other = DatabaseList(of: "other", names: [], removed: [chat])
        rig.receive(other.bytes, at: 0)
        var damaged = DatabaseList(of: "test", names: [], removed: [chat]).bytes
        damaged[3] ^= 1
        rig.receive(damaged, at: 0)
        rig.run(for: 100)
        #expect(names(rig) == [["chat", "game"], ["chat", "game"]])
        rig.receive(DatabaseList(of: "test", names: [], removed: [chat]).bytes, at: 0)
        rig.run(for: 100)
        #expect(names(rig) == [["game"], ["game"]])
    }
}

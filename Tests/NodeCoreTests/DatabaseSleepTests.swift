import DataTree
import NodeCore
import ReplicaCore
import SyncProtocol
import Testing

/// Databases that sleep while no client uses them.
@Suite struct DatabaseSleepTests {
    private let chat = DatabaseName("chat")!

    private func awake(_ rig: DatabasesRig) -> [Int] {
        rig.cores.map(\.awakeDatabaseNames.count)
    }

    private func text(_ rig: inout DatabasesRig, at node: Int) -> String {
        rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node).body
    }

    @Test func `a database sleeps at all nodes some time after its last client`() {
        var rig = DatabasesRig(3, sleepingAfter: 3_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 2_500)
        #expect(awake(rig) == [1, 1, 1])
        #expect(rig.cores.map(\.awakeDatabaseCount) == [2, 2, 2])
        rig.run(for: 3_500)
        #expect(awake(rig) == [0, 0, 0])
        rig.run(for: 5_000)
        #expect(awake(rig) == [0, 0, 0])
        #expect(rig.cores.allSatisfy { $0.databaseNames == [chat] })
        #expect(rig.cores.map(\.databaseCount) == [2, 2, 2])
        #expect(rig.cores.map(\.awakeDatabaseCount) == [1, 1, 1])
    }

    @Test func `a node that wakes a database serves its data, and wakes it at the others`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        #expect(awake(rig) == [0, 0, 0])
        let session = rig.connect(to: 1)
        rig.send(CoreRig.get("/a.json?ns=chat"), by: session, to: 1)
        rig.run(for: 100)
        #expect(DatabasesRig.parts(of: rig.received(session)) == ("200", "1"))
        #expect(awake(rig) == [1, 1, 1])
        rig.close(session)
        rig.run(for: 5_000)
        #expect(awake(rig) == [0, 0, 0])
    }

    @Test func `a request wakes a database at all nodes before its own node has opened it`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        #expect(rig.cores.map(\.awakeDatabaseCount) == [1, 1, 1])
        rig.opensDatabases = false
        let session = rig.connect(to: 1)
        rig.send(CoreRig.get("/a.json?ns=chat"), by: session, to: 1)
        rig.run(for: 20)
        #expect(rig.cores.map(\.awakeDatabaseCount) == [2, 2, 2])
        rig.openDatabases()
        rig.run(for: 50)
        #expect(DatabasesRig.parts(of: rig.received(session)) == ("200", "1"))
        rig.opensDatabases = true
        rig.close(session)
        rig.run(for: 5_000)
        #expect(rig.cores.map(\.awakeDatabaseCount) == [1, 1, 1])
        #expect(rig.wakeCount == 6)
    }

    @Test func `a database with a client stays awake at all nodes`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        let session = rig.connect()
        rig.send(CoreRig.stream("/a.json?ns=chat"), by: session)
        rig.run(for: 10_000)
        #expect(awake(rig) == [1, 1, 1])
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"), at: 2)
        rig.run(for: 200)
        #expect(String(decoding: rig.received(session), as: UTF8.self).contains(#""data":1"#))
    }

    @Test func `a database does not sleep while a peer lacks operations`() {
        var rig = DatabasesRig(2, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 500)
        rig.loses = { frame in DatabaseEnvelope.isPresent(in: frame) }
        _ = rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat"))
        rig.run(for: 10_000)
        #expect(rig.cores[0].awakeDatabaseNames == [chat])
        rig.loses = { _ in false }
        rig.run(for: 10_000)
        #expect(awake(rig) == [0, 0])
        #expect(text(&rig, at: 1) == "2")
    }

    @Test func `a node that comes back gets what it has missed, without a client`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        rig.cut = [2]
        rig.run(for: 3_000)
        _ = rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        #expect(awake(rig) == [0, 0, 0])
        rig.cut = []
        rig.run(for: 6_000)
        #expect(awake(rig) == [0, 0, 0])
        rig.cut = [0, 1, 2]
        rig.run(for: 3_000)
        #expect(text(&rig, at: 2) == "2")
    }

    @Test func `only databases that have changed wake when a node comes back`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        for name in ["chat", "game", "shop"] {
            _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=\(name)"))
        }
        rig.run(for: 6_000)
        rig.cut = [2]
        rig.run(for: 3_000)
        _ = rig.answer(to: CoreRig.put("2", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        #expect(awake(rig) == [0, 0, 0])
        let count = rig.wakeCount
        rig.cut = []
        rig.run(for: 6_000)
        #expect(awake(rig) == [0, 0, 0])
        // One database at three nodes.
        #expect(rig.wakeCount == count + 3)
        let names = Set((0..<3).map { rig.cores[$0].digest(of: DatabaseIndex(1)) })
        #expect(names.count == 1 && !names.contains(nil))
    }

    @Test func `a database without a known digest wakes when nodes reach each other`() {
        var rig = DatabasesRig(2, sleepingAfter: 1_000)
        rig.addStored(chat)
        rig.run(for: 500)
        rig.cut = [0, 1]
        rig.run(for: 4_000)
        let count = rig.wakeCount
        rig.cut = []
        rig.run(for: 6_000)
        #expect(awake(rig) == [0, 0])
        #expect(rig.wakeCount == count + 2)
    }

    @Test func `a database in use elsewhere wakes, and reads as there`() {
        var rig = DatabasesRig(2, sleepingAfter: 1_000)
        rig.run(for: 100)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        for number in 2...6 {
            let put = CoreRig.put("\(number)", to: "/a.json?ns=chat")
            #expect(rig.answer(to: put, at: number % 2).status == "200")
            #expect(text(&rig, at: (number + 1) % 2) == "\(number)")
            rig.run(for: 700 * UInt64(number))
        }
    }

    @Test func `frames of an idle database wake no database`() {
        var rig = DatabasesRig(2, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        rig.receive(DatabaseEnvelope(chat, .idle, [1]).bytes, at: 0)
        rig.run(for: 100)
        #expect(awake(rig) == [0, 0])
        rig.receive(DatabaseEnvelope(chat, .synchronizing, [1]).bytes, at: 0)
        rig.run(for: 100)
        #expect(awake(rig) == [1, 1])
    }

    @Test func `requests that arrive while a database falls asleep are answered`() {
        var rig = DatabasesRig(1, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("0", to: "/a.json?ns=chat"))
        // A request in each phase of the sleep, which begins about a second after the previous one.
        for step in 1...40 {
            rig.run(for: 900 + 5 * UInt64(step))
            let session = rig.connect()
            rig.send(CoreRig.put("\(step)", to: "/a.json?ns=chat"), by: session)
            rig.run(for: 200)
            rig.close(session)
            #expect(DatabasesRig.parts(of: rig.received(session)) == ("200", "\(step)"))
        }
        #expect(rig.wakeCount > 3)
    }

    @Test func `requests that arrive while the last turn is on its way to the disk are answered`() {
        var rig = DatabasesRig(1, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 800)
        rig.delaysStores = true
        rig.run(for: 400)
        let session = rig.connect()
        rig.send(CoreRig.put("2", to: "/a.json?ns=chat"), by: session)
        rig.run()
        rig.completeStores()
        rig.run(for: 200)
        #expect(rig.wakeCount == 2)
        #expect(DatabasesRig.parts(of: rig.received(session)) == ("200", "2"))
    }

    @Test func `a stored database sleeps until a client names it`() {
        var rig = DatabasesRig(1, .refuse, sleepingAfter: 1_000)
        rig.addStored(chat)
        rig.run(for: 2_000)
        #expect(awake(rig) == [0])
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat")).status == "200")
    }

    /// Each write has the name of its database as its value, so that a write at the wrong one shows.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `no write is lost, whenever databases sleep and whatever is cut off`(seed: UInt64) {
        var rig = DatabasesRig(3, sleepingAfter: 300)
        var random = Draws(seed: seed)
        let names = ["default", "chat", "game"]
        var acknowledged: [String: Set<String>] = [:]
        for number in 0..<60 {
            rig.cut = number > 3 && random.draw(3) == 0 ? [random.draw(3)] : []
            let name = names[random.draw(names.count)]
            let node = random.draw(3)
            let session = rig.connect(to: node)
            let request = CoreRig.put("\"\(name)\"", to: "/k\(number).json?ns=\(name)")
            rig.send(request, by: session, to: node)
            rig.run(for: UInt64(random.draw(1_500)))
            rig.close(session)
            if DatabasesRig.parts(of: rig.received(session)).status == "200" {
                acknowledged[name, default: []].insert("k\(number)")
            }
        }
        rig.cut = []
        rig.run(for: 12_000)
        #expect(awake(rig) == [0, 0, 0] && rig.wakeCount > 10)
        #expect(acknowledged.values.reduce(0) { $0 + $1.count } > 20)
        // Cut off, so that each node shows what it has itself.
        rig.cut = [0, 1, 2]
        rig.run(for: 3_000)
        for node in 0..<3 {
            for name in names {
                let body = rig.answer(to: CoreRig.get("/.json?ns=\(name)"), at: node).body
                for key in acknowledged[name] ?? [] {
                    #expect(body.contains("\"\(key)\":\"\(name)\""))
                }
                for other in names where other != name { #expect(!body.contains("\"\(other)\"")) }
            }
        }
    }
}

/// Numbers from a seed.
struct Draws {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func draw(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }
}

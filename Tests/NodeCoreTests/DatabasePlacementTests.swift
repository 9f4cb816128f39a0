import JSONText
import NodeCore
import SyncProtocol
import Testing

/// Databases that some nodes hold, and that move to others.
@Suite struct DatabasePlacementTests {
    private let chat = DatabaseName("chat")!

    /// Nodes whose catalog is known to all.
    private func rig(_ count: Int = 3) -> DatabasesRig {
        var rig = DatabasesRig(count, .refuse, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.get("/.json?ns=_catalog"))
        rig.run(for: 3_000)
        return rig
    }

    private func place(_ placement: DatabasePlacement, _ rig: inout DatabasesRig, at node: Int = 0)
    {
        let path = "/databases/chat/placement.json?ns=_catalog"
        let text = JSONWriter.text(of: placement.value)
        #expect(rig.answer(to: CoreRig.put(text, to: path), at: node).status == "200")
    }

    private func knowledge(_ rig: inout DatabasesRig, of node: Int) -> String {
        rig.answer(to: CoreRig.get("/.settings/databases/chat.json"), at: node).body
    }

    /// The databases that each node holds.
    private func names(_ rig: DatabasesRig) -> [[String]] {
        rig.cores.map { $0.databaseNames.map(\.text) }
    }

    private let moving = DatabasePlacement(epoch: 2, movingFrom: ["n1", "n2"], to: ["n2", "n3"])
    private let moved = DatabasePlacement(epoch: 3, nodes: ["n2", "n3"])

    /// A database on the first two nodes, with one record.
    private func placed() -> DatabasesRig {
        var rig = rig()
        place(DatabasePlacement(epoch: 1, nodes: ["n1", "n2"]), &rig)
        rig.run(for: 1_000)
        #expect(rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"), after: 500).status == "200")
        rig.run(for: 200)
        return rig
    }

    @Test func `only the nodes of a placement hold the database, and all know that`() {
        var rig = placed()
        #expect(names(rig) == [["chat"], ["chat"], []])
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: 1, after: 500).body == "1")
        for node in 0..<3 {
            let text =
                #"{"epoch":1,"isCopied":false,"members":{"n1":true,"n2":true,"n3":true},"#
                + #""name":"chat","nodes":{"n1":true,"n2":true}}"#
            #expect(knowledge(&rig, of: node) == text)
        }
    }

    @Test func `clients are redirected to nodes that this node reaches`() {
        var rig = placed()
        let redirects = { (rig: inout DatabasesRig) in
            (0..<4).map { _ in
                let session = rig.connect(to: 2)
                rig.send(CoreRig.get("/a.json?ns=chat"), by: session, to: 2)
                rig.run(for: 20)
                let text = String(decoding: rig.received(session), as: UTF8.self)
                return ["n1.test", "n2.test"].filter(text.contains).joined()
            }
        }
        // A client goes to the same node each time.
        #expect(Set(redirects(&rig)) == ["n2.test"])
        rig.cut = [1]
        rig.run(for: 3_000)
        #expect(Set(redirects(&rig)) == ["n1.test"])
        rig.cut = []
        rig.run(for: 3_000)
        #expect(Set(redirects(&rig)) == ["n2.test"])
    }

    @Test func `a database that moves is served by nobody until its new nodes hold the data`() {
        var rig = placed()
        place(moving, &rig)
        rig.run(for: 4_000)
        for node in 0..<3 {
            #expect(
                rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node, after: 500).status == "503"
            )
            #expect(knowledge(&rig, of: node).contains(#""isCopied":true"#))
        }
        place(moved, &rig)
        rig.run(for: 3_000)
        #expect(names(rig) == [[], ["chat"], ["chat"]])
        #expect(rig.discards == [[chat], [], []] && rig.kept == [[], [], []])
        rig.change { #expect($0.databaseUses().map(\.name) == [.default]) }
        #expect(rig.cores[0].awakeDatabaseCount == 1)
        for node in 1..<3 {
            #expect(
                rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node, after: 500).body == "1")
        }
        #expect(
            rig.answer(to: CoreRig.put("2", to: "/b.json?ns=chat"), at: 2, after: 500).status
                == "200")
        rig.run(for: 200)
        #expect(rig.answer(to: CoreRig.get("/b.json?ns=chat"), at: 1, after: 500).body == "2")
    }

    @Test func `a copy is not complete while a node lacks operations`() {
        var rig = placed()
        rig.cut = [1]
        #expect(
            rig.answer(to: CoreRig.put("2", to: "/b.json?ns=chat"), at: 1, after: 500).status
                == "200")
        place(moving, &rig)
        rig.run(for: 6_000)
        for node in [0, 2] { #expect(knowledge(&rig, of: node).contains(#""isCopied":false"#)) }
        // It does not know that the database moves.
        #expect(rig.answer(to: CoreRig.get("/b.json?ns=chat"), at: 1, after: 500).body == "2")
        rig.cut = []
        rig.run(for: 6_000)
        for node in 0..<3 { #expect(knowledge(&rig, of: node).contains(#""isCopied":true"#)) }
        place(moved, &rig)
        rig.run(for: 3_000)
        #expect(rig.answer(to: CoreRig.get("/b.json?ns=chat"), at: 2, after: 500).body == "2")
    }

    @Test func `a sleeping database wakes to move`() {
        var rig = placed()
        rig.run(for: 6_000)
        #expect(rig.cores.allSatisfy { !$0.awakeDatabaseNames.contains(chat) })
        place(moving, &rig)
        rig.run(for: 4_000)
        for node in 0..<3 { #expect(knowledge(&rig, of: node).contains(#""isCopied":true"#)) }
    }

    @Test func `a database whose move is given up while a node reads it is read again`() {
        var rig = placed()
        rig.run(for: 6_000)
        rig.opensDatabases = false
        place(moving, &rig)
        rig.run(for: 1_000)
        let count = rig.wakeCount
        place(DatabasePlacement(epoch: 3, nodes: ["n1", "n2"]), &rig)
        rig.run(for: 1_000)
        rig.opensDatabases = true
        rig.openDatabases()
        rig.run(for: 200)
        // The replicas with the nodes of the move have ended.
        #expect(rig.wakeCount == count + 2)
        rig.run(for: 4_000)
        for node in 0..<2 {
            #expect(
                rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node, after: 500).body == "1")
        }
        #expect(names(rig) == [["chat"], ["chat"], []])
    }

    @Test func `a frame of another epoch does not wake a database`() {
        var rig = placed()
        rig.run(for: 6_000)
        for epoch in [0, 2, 1] as [UInt32] {
            rig.receive(DatabaseEnvelope(chat, epoch: epoch, .used, [1]).bytes, at: 0)
            rig.run(for: 50)
            #expect(rig.cores[0].awakeDatabaseNames.contains(chat) == (epoch == 1))
        }
    }

    @Test func `a database can come back to a node that has deleted it`() {
        var rig = placed()
        for (epoch, nodes) in [(2, ["n2", "n3"]), (4, ["n1"]), (6, ["n1", "n2", "n3"])]
            as [(UInt32, [String])]
        {
            let from =
                rig.cores[0].databaseNames.isEmpty
                ? ["n2", "n3"] : epoch == 6 ? ["n1"] : ["n1", "n2"]
            place(DatabasePlacement(epoch: epoch, movingFrom: from, to: nodes), &rig)
            rig.run(for: 5_000)
            place(DatabasePlacement(epoch: epoch + 1, nodes: nodes), &rig)
            rig.run(for: 3_000)
            let node = Int(nodes.last!.dropFirst())! - 1
            #expect(
                rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: node, after: 500).body == "1")
            let key = "e\(epoch)"
            #expect(
                rig.answer(to: CoreRig.put("1", to: "/\(key).json?ns=chat"), at: node, after: 500)
                    .status
                    == "200")
            rig.run(for: 200)
        }
        for node in 0..<3 {
            let body = rig.answer(to: CoreRig.get("/.json?ns=chat"), at: node, after: 500).body
            #expect(body == #"{"a":1,"e2":1,"e4":1,"e6":1}"#)
        }
    }

    @Test(arguments: [true, false])
    func `where a created database is not, files of this name are kept if they hold data`(
        hasData: Bool
    ) {
        var rig = rig()
        _ = rig.answer(to: CoreRig.put("", to: "/.settings/databases/chat.json"))
        if hasData { _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"), after: 500) }
        rig.run(for: 6_000)
        place(DatabasePlacement(creatingOn: ["n1"]), &rig)
        rig.run(for: 2_000)
        #expect(rig.discards == (hasData ? [[], [], []] : [[], [chat], [chat]]))
        let kept = DatabasesRig.Kept(name: chat, epoch: 0)
        #expect(rig.kept == (hasData ? [[], [kept], [kept]] : [[], [], []]))
        // The created database is another one.
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), after: 500).body == "null")
        #expect(rig.kept[0] == (hasData ? [kept] : []))
    }

    @Test(arguments: [1, 3] as [UInt32])
    func `a node keeps what only it has if it learns of a move that it had no part in`(
        epoch: UInt32
    ) {
        var rig = rig(5)
        rig.apart = [0, 1]
        rig.run(for: 3_000)
        _ = rig.answer(to: CoreRig.put("", to: "/.settings/databases/chat.json"))
        let answer = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"), after: 3_000)
        #expect(answer.status == "200")
        place(DatabasePlacement(creatingOn: ["n3", "n4"]), &rig, at: 2)
        if epoch > 1 { place(DatabasePlacement(epoch: epoch, nodes: ["n3"]), &rig, at: 2) }
        rig.run(for: 2_000)
        rig.apart = []
        rig.run(for: 6_000)
        #expect(names(rig) == [[], [], ["chat"], epoch > 1 ? [] : ["chat"], []])
        #expect(rig.discards[...1] == [[], []])
        let kept = DatabasesRig.Kept(name: chat, epoch: 0)
        #expect(rig.kept[...1] == [[kept], [kept]])
    }

    @Test func `files of another database do not enter the one that moves to their node`() {
        var rig = rig(5)
        rig.apart = [0, 1]
        rig.run(for: 3_000)
        _ = rig.answer(to: CoreRig.put("", to: "/.settings/databases/chat.json"))
        let mine = rig.answer(to: CoreRig.put("1", to: "/mine.json?ns=chat"), after: 3_000)
        place(DatabasePlacement(creatingOn: ["n3"]), &rig, at: 2)
        rig.run(for: 1_000)
        let theirs = rig.answer(to: CoreRig.put("1", to: "/theirs.json?ns=chat"), at: 2, after: 500)
        #expect(mine.status == "200" && theirs.status == "200")
        let since: [String: UInt32] = ["n1": 2, "n3": 1]
        place(
            DatabasePlacement(epoch: 2, movingFrom: ["n3"], to: ["n1", "n3"], since: since), &rig,
            at: 2)
        rig.apart = []
        rig.run(for: 8_000)
        place(DatabasePlacement(epoch: 3, nodes: ["n1", "n3"], since: since), &rig, at: 2)
        rig.run(for: 3_000)
        for node in [0, 2] {
            let body = rig.answer(to: CoreRig.get("/.json?ns=chat"), at: node, after: 500).body
            #expect(body == #"{"theirs":1}"#)
        }
        let kept = DatabasesRig.Kept(name: chat, epoch: 0)
        #expect(rig.kept == [[kept], [kept], [], [], []])
        #expect(rig.records[0][chat]?.placement?.epoch == 3)
    }

    @Test func `a node that is left out of a move keeps writes that no other node has`() {
        var rig = placed()
        rig.cut = [1]
        #expect(
            rig.answer(to: CoreRig.put("2", to: "/b.json?ns=chat"), at: 1, after: 500).status
                == "200")
        // As a command with an outdated list of nodes does, or one that leaves an evicted node out.
        place(DatabasePlacement(epoch: 2, movingFrom: ["n1"], to: ["n3"]), &rig)
        rig.run(for: 4_000)
        place(DatabasePlacement(epoch: 3, nodes: ["n3"]), &rig)
        rig.run(for: 2_000)
        rig.cut = []
        rig.run(for: 6_000)
        #expect(names(rig) == [[], [], ["chat"]])
        #expect(rig.discards == [[chat], [], []])
        #expect(rig.kept == [[], [.init(name: chat, epoch: 1)], []])
    }

    @Test func `a sleeping database is kept if those who held its operations have left it, too`() {
        var rig = placed()
        rig.run(for: 6_000)
        rig.cut = [0]
        rig.run(for: 3_000)
        place(DatabasePlacement(epoch: 2, movingFrom: ["n2"], to: ["n3"]), &rig, at: 1)
        rig.run(for: 4_000)
        place(DatabasePlacement(epoch: 3, nodes: ["n3"]), &rig, at: 1)
        rig.run(for: 2_000)
        rig.cut = []
        rig.run(for: 6_000)
        #expect(rig.discards == [[], [chat], []])
        #expect(rig.kept == [[.init(name: chat, epoch: 1)], [], []])
    }

    @Test func `nodes that know two placements of one epoch serve neither, until one is chosen`() {
        var rig = placed()
        rig.cut = [1]
        rig.run(for: 3_000)
        // The first two nodes know one, and the last one decides another, as with an old disk.
        place(DatabasePlacement(epoch: 3, nodes: ["n1"]), &rig)
        rig.cut = [0]
        place(DatabasePlacement(epoch: 3, nodes: ["n2"]), &rig, at: 1)
        rig.run(for: 2_000)
        for node in 0..<2 {
            let answer = rig.answer(
                to: CoreRig.put("\(node)", to: "/n.json?ns=chat"), at: node, after: 500)
            #expect(answer.status == "200")
        }
        rig.cut = []
        rig.run(for: 4_000)
        for node in 0..<2 {
            let answer = rig.answer(to: CoreRig.get("/n.json?ns=chat"), at: node, after: 500)
            #expect(answer.status == "503" && answer.body.contains("placed twice"))
            #expect(knowledge(&rig, of: node).contains(#""rival":{"epoch":3"#))
            #expect(rig.records[node][chat]?.rival != nil)
            #expect(!rig.cores[node].awakeDatabaseNames.contains(chat))
        }
        #expect(rig.discards == [[], [], []] && rig.kept == [[], [], []])
        place(DatabasePlacement(epoch: 4, movingFrom: ["n2"], to: ["n2"]), &rig, at: 1)
        rig.run(for: 3_000)
        place(DatabasePlacement(epoch: 5, nodes: ["n2"]), &rig, at: 1)
        rig.run(for: 3_000)
        #expect(rig.answer(to: CoreRig.get("/n.json?ns=chat"), at: 1, after: 500).body == "1")
        #expect(rig.discards == [[], [], []])
        #expect(rig.kept == [[.init(name: chat, epoch: 3)], [], []])
    }

    @Test func `the catalog is made with the cluster, and then needs a majority alone`() {
        var rig = DatabasesRig(3, .refuse, sleepingAfter: 1_000)
        rig.changeAll { $0.makesCatalog = true }
        rig.cut = [2]
        rig.run(for: 8_000)
        #expect(rig.cores.allSatisfy { !$0.hasCatalog })
        rig.cut = []
        rig.run(for: 8_000)
        #expect(rig.cores.allSatisfy { $0.awakeDatabaseNames == [.catalog] })
        rig.cut = [2]
        rig.run(for: 6_000)
        place(DatabasePlacement(creatingOn: ["n1", "n2"]), &rig)
        rig.run(for: 1_000)
        #expect(names(rig) == [["chat"], ["chat"], []])
    }

    @Test func `a move whose command has died goes on by itself`() {
        var rig = placed()
        place(moving, &rig)
        rig.run(for: 25_000)
        #expect(names(rig) == [[], ["chat"], ["chat"]])
        #expect(rig.discards == [[chat], [], []] && rig.kept == [[], [], []])
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: 2, after: 500).body == "1")
    }

    @Test func `a placement that was only proposed takes effect once its command has died`() {
        var rig = placed()
        let path = "/databases/chat/placement/next.json?ns=_catalog"
        let text = JSONWriter.text(of: moving.value)
        #expect(rig.answer(to: CoreRig.put(text, to: path)).status == "200")
        rig.run(for: 40_000)
        #expect(names(rig) == [[], ["chat"], ["chat"]])
    }

    @Test func `a move that waits for a node which stays away is given up`() {
        var rig = placed()
        rig.changeAll { $0.setMovePatience(milliseconds: 20_000) }
        rig.cut = [2]
        place(moving, &rig)
        rig.run(for: 15_000)
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), after: 500).status == "503")
        rig.run(for: 10_000)
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), after: 500).body == "1")
        #expect(names(rig)[...1] == [["chat"], ["chat"]])
    }

    @Test func `nodes do not follow a placement that is only proposed`() {
        var rig = placed()
        let path = "/databases/chat/placement/next.json?ns=_catalog"
        let text = JSONWriter.text(of: moving.value)
        #expect(rig.answer(to: CoreRig.put(text, to: path)).status == "200")
        rig.run(for: 1_000)
        for node in 0..<3 { #expect(knowledge(&rig, of: node).contains(#""epoch":1"#)) }
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), after: 500).body == "1")
    }

    @Test func `nodes go on to exchange operations while they learn that there is a catalog`() {
        var rig = DatabasesRig(3, sleepingAfter: 1_000)
        let session = rig.connect()
        rig.send(CoreRig.stream("/a.json?ns=chat"), by: session)
        rig.run(for: 500)
        let reader = rig.connect()
        rig.send(CoreRig.get("/.json?ns=_catalog"), by: reader)
        rig.run(for: 30)
        #expect(rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat")).status == "200")
        rig.run(for: 100)
        #expect(rig.answer(to: CoreRig.get("/a.json?ns=chat"), at: 1).body == "1")
    }

    @Test func `an older placement does not replace a newer one`() {
        var rig = placed()
        place(DatabasePlacement(epoch: 3, nodes: ["n1", "n2"]), &rig)
        rig.run(for: 1_000)
        place(DatabasePlacement(epoch: 2, nodes: ["n3"]), &rig)
        rig.run(for: 1_000)
        #expect(names(rig) == [["chat"], ["chat"], []])
    }

    @Test func `clients of a database that moves are disconnected`() {
        var rig = placed()
        let session = rig.connect()
        rig.send(CoreRig.stream("/a.json?ns=chat"), by: session)
        rig.run(for: 200)
        #expect(!rig.received(session).isEmpty)
        place(moving, &rig, at: 1)
        rig.run(for: 200)
        #expect(rig.closed.contains(session))
    }

    @Test func `a removed database does not come back by a placement`() {
        var rig = placed()
        let delete = CoreRig.put("", to: "/.settings/databases/chat.json")
            .replacing("PUT", with: "DELETE")
        #expect(rig.answer(to: delete, at: 2).status == "200")
        rig.run(for: 200)
        place(moved, &rig)
        rig.run(for: 1_000)
        #expect(names(rig) == [[], [], []])
        #expect(knowledge(&rig, of: 0).contains("The database chat was removed."))
    }
}

import JSONText
import NodeCore
import SyncProtocol
import Testing

/// Databases that some nodes hold, and that move to others.
@Suite struct DatabasePlacementTests {
    private let chat = DatabaseName("chat")!

    /// Three nodes whose catalog is known to all.
    private func rig() -> DatabasesRig {
        var rig = DatabasesRig(3, .refuse, sleepingAfter: 1_000)
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
            let text = #"{"epoch":1,"isCopied":false,"name":"chat","nodes":{"n1":true,"n2":true}}"#
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
        #expect(Set(redirects(&rig)) == ["n1.test", "n2.test"])
        rig.cut = [1]
        rig.run(for: 3_000)
        #expect(Set(redirects(&rig)) == ["n1.test"])
        rig.cut = []
        rig.run(for: 3_000)
        #expect(Set(redirects(&rig)) == ["n1.test", "n2.test"])
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
        #expect(rig.discards == [[chat], [], []])
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
    func `where a created database is not, files of this name stay if they hold data`(hasData: Bool)
    {
        var rig = rig()
        _ = rig.answer(to: CoreRig.put("", to: "/.settings/databases/chat.json"))
        if hasData { _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"), after: 500) }
        rig.run(for: 6_000)
        place(DatabasePlacement(epoch: 1, nodes: ["n1"]), &rig)
        rig.run(for: 2_000)
        #expect(rig.discards == (hasData ? [[], [], []] : [[], [chat], [chat]]))
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
        place(DatabasePlacement(epoch: 1, nodes: ["n3"]), &rig)
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

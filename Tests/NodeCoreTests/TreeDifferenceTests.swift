import DataTree
import NodeCore
import SyncProtocol
import Testing

/// The comparison of the trees of sleeping databases.
@Suite struct TreeDifferenceTests {
    private let chat = DatabaseName("chat")!

    /// Two nodes, of which a database sleeps with the same operations.
    private func sleeping() -> DatabasesRig {
        var rig = DatabasesRig(2, sleepingAfter: 1_000)
        _ = rig.answer(to: CoreRig.put("1", to: "/a.json?ns=chat"))
        rig.run(for: 5_000)
        #expect(rig.cores.allSatisfy { $0.awakeDatabaseNames.isEmpty })
        return rig
    }

    private func differences(_ rig: inout DatabasesRig) -> [String] {
        var found: [String] = []
        rig.change { core in
            found = core.treeDifferences().map { "\($0.database) \($0.member)" }
        }
        return found
    }

    private func trees(
        of rig: DatabasesRig, from member: String = "n2", cluster: String = "test",
        operations: UInt64? = nil, _ tree: TreeDigest? = nil
    ) -> [UInt8] {
        let database = DatabaseIndex(1)
        let entry = SleepingTrees.Entry(
            chat, operations: operations ?? rig.cores[0].digest(of: database)!,
            tree ?? rig.cores[0].treeDigest(of: database)!)
        return SleepingTrees(of: cluster, member, [entry]).bytes
    }

    @Test func `nodes publish the digests of sleeping trees, and find equal ones equal`() {
        var rig = sleeping()
        let digests = rig.cores.map { $0.treeDigest(of: DatabaseIndex(1)) }
        #expect(digests[0] == digests[1])
        #expect(digests[0] == TreeDigest(of: .object(named: [("a", .integer(1))])))
        var count = 0
        rig.loses = { frame in
            if SleepingTrees.isPresent(in: frame) { count += 1 }
            return false
        }
        rig.run(for: 31_000)
        #expect(count == 2)
        #expect(differences(&rig).isEmpty)
    }

    @Test func `a sleeping tree that differs is found until it is equal`() {
        var rig = sleeping()
        rig.receive(trees(of: rig, TreeDigest(1, 2)), at: 0)
        rig.run()
        #expect(differences(&rig) == ["chat n2"])
        rig.receive(trees(of: rig), at: 0)
        rig.run()
        #expect(differences(&rig).isEmpty)
    }

    @Test func `a difference lasts while a database is awake, until replicas compare their trees`()
    {
        var rig = sleeping()
        rig.receive(trees(of: rig, TreeDigest(1, 2)), at: 0)
        let session = rig.connect()
        rig.send(CoreRig.stream("/a.json?ns=chat"), by: session)
        rig.run(for: 2_000)
        #expect(differences(&rig) == ["chat n2"])
        rig.run(for: 12_000)
        #expect(differences(&rig).isEmpty)
    }

    @Test func `trees after other operations, of other clusters and of strangers do not count`() {
        var rig = sleeping()
        let different = TreeDigest(1, 2)
        rig.receive(trees(of: rig, operations: 7, different), at: 0)
        rig.receive(trees(of: rig, cluster: "other", different), at: 0)
        rig.receive(trees(of: rig, from: "n9", different), at: 0)
        rig.receive(Array(trees(of: rig, different).dropLast()), at: 0)
        rig.run()
        #expect(differences(&rig).isEmpty)
    }
}

import GatewayCore
import NodeCore
import SyncProtocol
import Testing

/// The databases that a backup of a node has.
@Suite struct BackupPlanTests {
    private static let chat = DatabaseName("chat")!

    private func plan(_ rig: inout DatabasesRig, _ backup: NodeBackup) -> BackupPlan {
        var plan: BackupPlan?
        rig.change { plan = $0.plan(of: backup) }
        return plan!
    }

    /// Creates a database by a write of a client.
    private func create(_ rig: inout DatabasesRig) {
        let session = rig.connect()
        rig.send(CoreRig.put("1", to: "/a.json?ns=chat"), by: session)
        rig.run(for: 1_500)
        rig.close(session)
    }

    @Test func `it has all databases, and wakes none`() {
        var rig = DatabasesRig(sleepingAfter: 100)
        create(&rig)
        rig.run(for: 3_000)
        #expect(rig.cores[0].awakeDatabaseNames.isEmpty)
        let plan = plan(&rig, NodeBackup(fileName: "monday"))
        #expect(plan.fileName == "monday")
        #expect(plan.sources.map(\.name) == [Self.chat, .default])
        #expect(plan.manifest.copied == [Self.chat, .default])
        #expect(plan.manifest.cluster == "test" && plan.manifest.node == "n1")
        rig.run(for: 100)
        #expect(rig.cores[0].awakeDatabaseNames.isEmpty)
    }

    @Test func `it has one database by its name, and names the others`() {
        var rig = DatabasesRig()
        create(&rig)
        let plan = plan(&rig, NodeBackup(database: Self.chat))
        #expect(plan.sources.map(\.name) == [Self.chat])
        #expect(plan.manifest.databases[.default] == .init(isCopied: false))
        let none = plan.limited { _ in false }
        #expect(none.sources.isEmpty && none.manifest.copied.isEmpty)
    }
}

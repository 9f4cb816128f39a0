import Foundation
import Testing

/// `hearth cluster add` and `remove` on real nodes.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `A list of nodes` {
    private func run(_ cluster: TestCluster, _ words: String...) throws -> Program.Outcome {
        try Program(Program.hearthPath, words + ["--dir", cluster.folder.path]).end(within: 90)
    }

    private func push(_ cluster: TestCluster, _ count: Int, to node: String) throws {
        for number in 1...count {
            let outcome = try run(cluster, "push", "/list", "\(number)", "--node", node)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    private func count(_ cluster: TestCluster, at node: String) throws -> Int {
        let outcome = try run(cluster, "get", "/list", "--node", node)
        return outcome.output.split(separator: ":").count - 1
    }

    @Test func `grows by a node that fetches the data, and shrinks without a loss`() throws {
        let cluster = try TestCluster()
        try push(cluster, 5, to: "n3")
        let added = try run(cluster, "cluster", "add")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.hasPrefix("n4 serves at"))
        #expect(try count(cluster, at: "n4") == 5)
        try push(cluster, 5, to: "n4")
        let removed = try run(cluster, "cluster", "remove", "n4")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try run(cluster, "cluster", "status").status == 0)
        for node in ["n1", "n2", "n3"] { #expect(try count(cluster, at: node) == 10) }
        #expect(try run(cluster, "get", "/list", "--node", "n4").status == 64, "it is not listed")

        // It has its old data still, which others may have made stable without it: it rejoins.
        let again = try run(cluster, "cluster", "add", "n4")
        #expect(again.status == 0, "\(again.errors)")
        try eventually("n4 takes writes again") {
            try run(cluster, "push", "/list", "11", "--node", "n4").status == 0
        }
        try eventually("all have everything") {
            try ["n1", "n2", "n3", "n4"].allSatisfy { try count(cluster, at: $0) == 11 }
        }
    }

    @Test func `keeps a node with unique operations, and names the obstacle`() throws {
        let cluster = try TestCluster()
        try cluster.run("kill", "n1", "n2")
        try push(cluster, 3, to: "n3")
        let away = try run(cluster, "cluster", "remove", "n3")
        #expect(away.status == 69)
        #expect(away.errors.contains("n1 is stopped"))
        #expect(try count(cluster, at: "n3") == 3, "it runs as before")
        try cluster.run("kill", "n3")
        try cluster.run("start", "n1")
        try cluster.run("start", "n2")
        let dead = try run(cluster, "cluster", "remove", "n3")
        #expect(dead.status == 69)
        #expect(dead.errors.contains("lacks 3 operations that n3 holds"), "\(dead.errors)")
        #expect(dead.errors.contains("--force"))
        let forced = try run(cluster, "cluster", "remove", "n3", "--force")
        #expect(forced.status == 0, "\(forced.errors)")
        #expect(try run(cluster, "cluster", "status").status == 0)
    }

    @Test
    func `keeps a node with unique operations of a named database until the others have them`()
        throws
    {
        let cluster = try TestCluster()
        func set(_ value: String, at node: String) throws {
            let outcome = try run(cluster, "set", "/a", value, "--database", "chat", "--node", node)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        try #require(try run(cluster, "database", "create", "chat").status == 0)
        try set("1", at: "n1")
        try eventually("n3 knows the database") {
            try run(cluster, "database", "list", "--node", "n3").output.contains("chat")
        }
        try cluster.run("kill", "n1", "n2")
        try set("2", at: "n3")
        try cluster.run("kill", "n3")
        try cluster.run("start", "n1")
        try cluster.run("start", "n2")
        let dead = try run(cluster, "cluster", "remove", "n3")
        #expect(dead.status == 69)
        #expect(dead.errors.contains("lacks 1 operations of chat that n3 holds"), "\(dead.errors)")
        try cluster.run("start", "n3")
        let removed = try run(cluster, "cluster", "remove", "n3")
        #expect(removed.status == 0, "\(removed.errors)")
        let shown = try run(cluster, "get", "/a", "--database", "chat", "--node", "n2")
        #expect(shown.output == "2\n", "\(shown.errors)")
    }

    @Test func `stays as it is when a node cannot be added`() throws {
        let cluster = try TestCluster()
        #expect(try run(cluster, "cluster", "add", "n2").status == 64)
        #expect(try run(cluster, "cluster", "add", "../n9").status == 64)
        #expect(try run(cluster, "cluster", "remove", "n9").status == 64)
        let up = try Program.hearth(
            "cluster", "up", "--nodes", "4", "--dir", cluster.folder.path, "--detach"
        ).end()
        #expect(up.status == 64)
        #expect(up.errors.contains("hearth cluster add"))
        // Its folder cannot be made, where a file is.
        _ = try cluster.folder.write("", to: "n4")
        let failed = try run(cluster, "cluster", "add")
        #expect(failed.status != 0)
        #expect(try run(cluster, "cluster", "status").status == 0, "the others serve as before")
    }

    @Test func `of nodes in memory does not change while they run`() throws {
        let cluster = try TestCluster(durability: "memory")
        let refused = try run(cluster, "cluster", "add")
        #expect(refused.status == 69)
        #expect(refused.errors.contains("memory alone"))
        #expect(try run(cluster, "cluster", "status").status == 0)
    }

    @Test func `is started again as it is, whatever its ports`() throws {
        let cluster = try TestCluster()
        try cluster.run("remove", "n1")
        try cluster.run("down")
        let up = try Program.hearth("cluster", "up", "--dir", cluster.folder.path, "--detach").end()
        #expect(up.status == 0, "\(up.errors)")
        #expect(up.output == "n2 \(cluster.address(2))\nn3 \(cluster.address(3))\n")
    }
}

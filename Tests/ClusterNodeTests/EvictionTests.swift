import Foundation
import Testing

/// `hearth cluster evict` on real nodes.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `An eviction` {
    private func evict(_ cluster: TestCluster, _ words: String...) throws -> Program.Outcome {
        try Program(
            Program.hearthPath, ["cluster", "evict", "n3", "--dir", cluster.folder.path] + words
        ).end(within: 60)
    }

    private func status(_ cluster: TestCluster) throws -> Program.Outcome {
        try Program.hearth("cluster", "status", "--dir", cluster.folder.path).end()
    }

    private func line(of node: String, in table: String) -> Substring? {
        table.split(separator: "\n").first { $0.hasPrefix(node + " ") }
    }

    @Test func `of a node that runs wants --force, and every node logs it`() throws {
        let cluster = try TestCluster()
        let refused = try evict(cluster)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("error: n3 runs"))
        #expect(refused.errors.contains("--force"))
        #expect(try status(cluster).status == 0)
        let done = try evict(cluster, "--force")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("n3 is evicted"))
        for node in ["n1", "n2"] {
            try eventually("\(node) logs the eviction and the return") {
                let log = try cluster.run("logs", node)
                return log.contains("\(node) n3 is evicted")
                    && log.contains("\(node) n3 has rejoined after its eviction")
            }
        }
        try eventually("n3 logs its own") {
            let log = try cluster.run("logs", "n3")
            return log.contains("n3 was evicted") && log.contains("n3 has rejoined")
        }
    }

    @Test func `goes on after a database that refuses it, and names that`() throws {
        let cluster = try TestCluster()
        for words in [
            ["database", "create", "chat", "--nodes", "n2,n3"], ["database", "create", "game"],
            // A new replica serves once it has had contact with the others.
            ["set", "/a", "1", "--database", "chat"],
        ] {
            let outcome = try Program(
                Program.hearthPath, words + ["--dir", cluster.folder.path]
            ).end()
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        try cluster.run("kill", "n3")
        let done = try evict(cluster)
        #expect(done.status == 69)
        #expect(
            done.errors.contains("n3 is not evicted from chat: without n3, half of the 2 nodes"),
            "\(done.errors)")
        #expect(done.errors.contains("it is evicted from all other databases (2)"))
        let status = try Program(
            "/usr/bin/env", ["curl", "-sS", cluster.address(1) + "/status?ns=game"]
        ).end().output
        #expect(status.contains("\"evicted\":{\"n3\""), "\(status)")
    }

    @Test func `shows in the status of a node that is stopped`() throws {
        let cluster = try TestCluster()
        try cluster.run("kill", "n3")
        let done = try evict(cluster)
        #expect(done.status == 0, "\(done.errors)")
        let shown = try status(cluster)
        #expect(line(of: "n3", in: shown.output)?.contains("stopped, evicted") == true)
        #expect(line(of: "n1", in: shown.output)?.contains("evicted") == false)
        #expect(shown.status == 69, "a node does not serve")
        #expect(shown.errors.contains("error: n3 is stopped"))
        let doctor = try Program.hearth("cluster", "doctor", "--dir", cluster.folder.path).end()
        #expect(doctor.output.contains("n3 does not run, and is evicted"))
    }

    @Test func `is refused without a majority, and an evicted node says at once why it refuses`()
        throws
    {
        let cluster = try TestCluster()
        try cluster.run("kill", "n2", "n3")
        let refused = try evict(cluster)
        #expect(refused.status == 69)
        #expect(refused.errors.contains("more than half of the 3 nodes must vote for it"))

        try cluster.run("start", "n2")
        #expect(try evict(cluster).status == 0)
        try cluster.run("start", "n3")
        #expect(try evict(cluster, "--force").status == 0)
        try cluster.run("kill", "n1", "n2")
        // It may have rejoined before: then it takes the write, as it is a node like any other.
        let write = try Program.hearth(
            "set", "/x", "1", "--node", "n3", "--timeout", "600", "--dir", cluster.folder.path
        ).end(within: 60)
        if write.status != 0 {
            #expect(write.status == 69)
            #expect(write.errors.contains("error: n3 was evicted from the cluster"))
        }
    }
}

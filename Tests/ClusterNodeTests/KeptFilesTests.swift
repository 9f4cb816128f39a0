import Foundation
import Testing

/// Files of databases with operations that no other node has, as processes: nodes keep them aside.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `Files that only one node has` {
    private let files = FileManager.default

    private func curl(_ url: String, _ words: String...) throws -> String {
        try Program("/usr/bin/env", ["curl", "-sS", "--max-time", "20", url] + words).end().output
    }

    private func run(_ cluster: TestCluster, _ words: [String]) throws -> Program.Outcome {
        try Program(Program.hearthPath, words + ["--dir", cluster.folder.path]).end(within: 90)
    }

    private func hearth(_ cluster: TestCluster, _ words: String...) throws -> String {
        let outcome = try run(cluster, words)
        try #require(outcome.status == 0, "\(words) \(outcome.errors)")
        return outcome.output
    }

    private func write(_ count: Int, _ key: String, to node: Int, of cluster: TestCluster) throws {
        for number in 0..<count {
            let url = "\(cluster.address(node))/\(key)\(number).json?ns=chat"
            try eventually("n\(node) takes a write") {
                try curl(url, "-X", "PUT", "-d", "\(number)") == "\(number)"
            }
        }
    }

    /// The folders in which a node keeps files.
    private func kept(_ node: String, of cluster: TestCluster) -> [String] {
        (try? files.contentsOfDirectory(atPath: cluster.folder.file("\(node)/kept")))?.sorted()
            ?? []
    }

    /// The only folder in which a node keeps files.
    private func keptEntry(_ node: String, of cluster: TestCluster) throws -> String {
        try eventually("\(node) keeps its files") { kept(node, of: cluster).count == 1 }
        return kept(node, of: cluster)[0]
    }

    /// The number of records in the files that a node keeps.
    private func count(_ key: String, in entry: String, of node: String, _ cluster: TestCluster)
        throws
        -> Int
    {
        let text = try hearth(cluster, "database", "kept", "export", node, entry, "-")
        return text.split(separator: ",").count { $0.contains("\"\(key)") }
    }

    @Test func `of a folder from before a move are kept, listed, exported and deleted`() throws {
        let cluster = try TestCluster()
        _ = try hearth(cluster, "database", "create", "chat", "--nodes", "n1,n2")
        try write(3, "a", to: 1, of: cluster)
        try cluster.run("stop", "n1")
        let (folder, copy) = (cluster.folder.file("n1"), cluster.folder.file("copy"))
        try files.copyItem(atPath: folder, toPath: copy)
        try cluster.run("start", "n1")
        _ = try hearth(cluster, "database", "move", "chat", "--nodes", "n2,n3")
        try cluster.run("down")
        try files.removeItem(atPath: folder)
        try files.moveItem(atPath: copy, toPath: folder)
        // Without the others, it goes on where it was.
        _ = try run(cluster, ["cluster", "start", "n1"])
        try write(20, "b", to: 1, of: cluster)
        try cluster.run("start", "n2", "n3")
        let entry = try keptEntry("n1", of: cluster)
        #expect(entry.hasPrefix("chat-1-") && entry.hasSuffix("Z"))
        #expect(try count("b", in: entry, of: "n1", cluster) == 20)
        let path = cluster.folder.file("n1/kept/\(entry)/log.sqlite")
        let mode = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try curl(cluster.address(2) + "/.json?ns=chat&shallow=true").contains("a2"))
        #expect(try hearth(cluster, "cluster", "logs", "n1").contains(entry))
        try eventually("the doctor names the files") {
            let doctor = try run(cluster, ["cluster", "doctor"])
            return doctor.output.contains("n1 keeps files of databases aside")
                && doctor.output.contains(entry)
        }
        #expect(
            try hearth(cluster, "database", "list", "--node", "n1").contains(
                "this node keeps files of chat aside: \(entry)"))
        #expect(try curl(cluster.address(1) + "/metrics").contains("hearth_kept_database_bytes "))
        #expect(try hearth(cluster, "database", "kept", "list").contains(entry))
        _ = try hearth(cluster, "database", "kept", "delete", "n1", entry, "--yes")
        #expect(kept("n1", of: cluster) == [])
    }

    @Test func `and that clients created there do not enter the database that others created`()
        throws
    {
        let cluster = try TestCluster(nodes: 5)
        try cluster.run("stop", "n3", "n4", "n5")
        try write(20, "mine", to: 1, of: cluster)
        try cluster.run("stop", "n1", "n2")
        try cluster.run("start", "n3", "n4", "n5")
        _ = try hearth(cluster, "database", "create", "chat", "--nodes", "n3,n4")
        try write(5, "theirs", to: 3, of: cluster)
        _ = try hearth(cluster, "database", "move", "chat", "--nodes", "n3")
        try cluster.run("start", "n1", "n2")
        for node in ["n1", "n2"] {
            let entry = try keptEntry(node, of: cluster)
            #expect(entry.hasPrefix("chat-0-"))
            #expect(try count("mine", in: entry, of: node, cluster) == 20)
        }
        _ = try hearth(cluster, "database", "move", "chat", "--nodes", "n1,n3")
        for node in [1, 3] {
            let text = try curl(cluster.address(node) + "/.json?ns=chat")
            #expect(text.contains("theirs4") && !text.contains("mine"), "\(text)")
        }
    }

    @Test func `of a dead node do not hold up a move once it is evicted`() throws {
        let cluster = try TestCluster()
        _ = try hearth(cluster, "database", "create", "chat", "--nodes", "n1,n2")
        try write(3, "a", to: 1, of: cluster)
        try eventually("n2 has the data") {
            try curl(cluster.address(2) + "/a2.json?ns=chat") == "2"
        }
        try cluster.run("kill", "n1")
        try write(3, "b", to: 2, of: cluster)
        let stuck = try run(
            cluster, ["database", "move", "chat", "--nodes", "n2,n3", "--timeout", "2"])
        #expect(stuck.status == 69 && stuck.errors.contains("`hearth cluster evict`"))
        let evicted = try run(cluster, ["cluster", "evict", "n1"])
        #expect(evicted.status == 69)
        #expect(
            evicted.errors.contains("behind with `hearth database move chat --nodes n2,n3`"),
            "\(evicted.errors)")
        let alone = try run(cluster, ["database", "move", "chat", "--nodes", "n1,n3"])
        #expect(alone.status != 0 && alone.errors.contains("n1 is evicted"))
        let moved = try hearth(cluster, "database", "move", "chat", "--nodes", "n2,n3")
        #expect(moved.hasPrefix("chat is on n2, n3\n"))
        for node in [2, 3] {
            #expect(try curl(cluster.address(node) + "/b2.json?ns=chat") == "2")
        }
        try cluster.run("start", "n1")
        try eventually("n1 redirects clients") {
            try curl(cluster.address(1) + "/b2.json?ns=chat", "-L") == "2"
        }
        #expect(try keptEntry("n1", of: cluster).hasPrefix("chat-1-"))
    }

    @Test func `are not left out by a command with an outdated list of nodes`() throws {
        let cluster = try TestCluster()
        try write(2, "a", to: 3, of: cluster)
        let path = cluster.folder.file("cluster.json")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var description = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let nodes = try #require(description["nodes"] as? [[String: Any]])
        description["nodes"] = Array(nodes.prefix(2))
        let old = try cluster.folder.write(
            String(
                decoding: try JSONSerialization.data(withJSONObject: description), as: UTF8.self),
            to: "old.json5")
        let refused = try Program.hearth(
            "database", "move", "chat", "--nodes", "n1", "--config", old
        ).end()
        #expect(refused.status == 65, "\(refused.errors)")
        #expect(
            refused.errors.contains(
                "the cluster has the nodes n1, n2, n3, and the list of this command is n1, n2"))
    }

    @Test func `stay where they are if a node with an old folder would place the database again`()
        throws
    {
        let cluster = try TestCluster()
        _ = try hearth(cluster, "database", "create", "chat", "--nodes", "n1")
        try write(1, "a", to: 1, of: cluster)
        try cluster.run("stop", "n1")
        let (folder, copy) = (cluster.folder.file("n1"), cluster.folder.file("copy"))
        try files.copyItem(atPath: folder, toPath: copy)
        try cluster.run("start", "n1")
        try cluster.run("stop", "n3")
        _ = try hearth(cluster, "database", "move", "chat", "--nodes", "n2")
        try write(10, "b", to: 2, of: cluster)
        try cluster.run("stop", "n1", "n2")
        try files.removeItem(atPath: folder)
        try files.moveItem(atPath: copy, toPath: folder)
        try cluster.run("start", "n1", "n3")
        // The epoch is decided already, which n1 has forgotten and n3 has not learned.
        let refused = try run(
            cluster, ["database", "move", "chat", "--nodes", "n3", "--timeout", "5"])
        #expect(refused.status == 69, "\(refused.output)")
        try cluster.run("start", "n2")
        try eventually("n2 serves all of its data, and the others redirect clients") {
            try (1...3).allSatisfy { node in
                try curl(cluster.address(node) + "/b9.json?ns=chat", "-L") == "9"
            }
        }
    }
}

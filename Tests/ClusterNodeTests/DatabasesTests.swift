import Foundation
import Testing

/// Several databases in one cluster, as processes.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `Databases of a cluster` {
    private func curl(_ url: String, _ words: String...) throws -> String {
        try Program("/usr/bin/env", ["curl", "-sS", "--max-time", "20", url] + words).end().output
    }

    private func hearth(_ cluster: TestCluster, _ words: String...) throws -> String {
        let outcome = try Program(
            Program.hearthPath, words + ["--dir", cluster.folder.path]
        ).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// The names of the databases in a list, which has a line of titles.
    private func names(_ cluster: TestCluster, _ words: String...) throws -> [String] {
        let outcome = try Program(
            Program.hearthPath, ["database", "list", "--dir", cluster.folder.path] + words
        ).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: " ").first.map(String.init) }.sorted()
    }

    @Test func `keep their data apart through deaths of nodes and a restart`() throws {
        let cluster = try TestCluster()
        let names = ["", "?ns=chat", "?ns=game"]
        for (number, name) in names.enumerated() {
            let url = cluster.address(number + 1) + "/a.json" + name
            #expect(try curl(url, "-X", "PUT", "-d", "\(number)") == "\(number)")
        }
        for node in ["n1", "n2", "n3"] {
            try cluster.run("kill", node)
            try cluster.run("start", node)
        }
        func check(_ node: Int) throws {
            for (number, name) in names.enumerated() {
                let text = try curl(cluster.address(node) + "/.json" + name)
                #expect(text == "{\"a\":\(number)}", "\(name) of n\(node)")
            }
        }
        for node in 1...3 { try check(node) }
        try cluster.run("down")
        let up = try cluster.up().end()
        #expect(up.status == 0, "\(up.errors)")
        for node in 1...3 { try check(node) }
        #expect(
            FileManager.default.fileExists(
                atPath: cluster.folder.file("n3/databases/chat/log.sqlite")))
        #expect(try curl(cluster.address(2) + "/.json?ns=chat", "-X", "DELETE") == "null")
        #expect(try curl(cluster.address(2) + "/.json?ns=game") == "{\"a\":2}")
        #expect(try curl(cluster.address(2) + "/.json") == "{\"a\":0}")
    }

    @Test func `do what clients of a killed node have left, once it serves again`() throws {
        let cluster = try TestCluster()
        _ = try hearth(cluster, "database", "create", "chat")
        let databases = ["default", "chat"]
        let clients = try databases.map { database in
            try Program.hearth(
                "on-disconnect", "/online/ann", "false", "--set", "true", "--database", database,
                "--node", cluster.address(1), "--dir", cluster.folder.path)
        }
        func isOnline(_ database: String, at node: Int) throws -> String {
            try curl(cluster.address(node) + "/online/ann.json?ns=" + database)
        }
        for database in databases {
            try eventually("\(database) shows the client") {
                try isOnline(database, at: 2) == "true"
            }
        }
        try cluster.run("kill", "n1")
        for client in clients { try client.kill() }
        for database in databases { #expect(try isOnline(database, at: 3) == "true") }
        try cluster.run("start", "n1")
        for database in databases {
            try eventually(within: 3, "the client of \(database) is gone") {
                try isOnline(database, at: 2) == "false"
            }
        }
    }

    @Test func `are created, listed and named by commands`() throws {
        let cluster = try TestCluster()
        #expect(try hearth(cluster, "database", "create", "chat") == "chat is created\n")
        #expect(try names(cluster, "--node", cluster.address(3)) == ["chat", "default"])
        _ = try hearth(cluster, "set", "/a", "1", "--database", "chat")
        #expect(try hearth(cluster, "get", "/", "--database", "chat") == "{\"a\":1}\n")
        #expect(try hearth(cluster, "get", "/") == "null\n")
        let rules = try cluster.folder.write(#"{"rules":{".read":false}}"#, to: "rules.json")
        _ = try hearth(cluster, "rules", "set", rules, "--confirm", "all", "--database", "chat")
        #expect(try curl(cluster.address(2) + "/.json?ns=chat").contains("Permission denied"))
        #expect(try curl(cluster.address(2) + "/.json") == "null")
        let backup = try hearth(cluster, "backup", "monday", "--database", "chat")
        #expect(backup.hasSuffix("/backups/monday.tar\n"))
        let wrong = try Program.hearth(
            "get", "/", "--database", "ch_at", "--dir", cluster.folder.path
        ).end()
        #expect(wrong.status == 64, "\(wrong.errors)")
        try checkLimits(of: "chat", cluster)
    }

    /// Each limit refuses requests of a database, and others go on.
    private func checkLimits(of name: String, _ cluster: TestCluster) throws {
        let url = cluster.address(1) + "/b[1-9].json?ns="
        func codes(_ name: String, _ words: String...) throws -> Set<String> {
            let format = ["-o", "/dev/null", "-w", "%{http_code} "]
            let options = ["-sS", "--max-time", "20", "--fail-early"] + format + words
            let outcome = try Program("/usr/bin/env", ["curl", url + name] + options).end()
            return Set(outcome.output.split(separator: " ").map(String.init))
        }
        let bearer = "Authorization: Bearer owner"
        _ = try hearth(cluster, "database", "limits", name, "--writes", "1")
        #expect(try codes(name, "-X", "PUT", "-d", "1", "-H", bearer) == ["200", "429"])
        #expect(try codes("default", "-X", "PUT", "-d", "1") == ["200"])
        _ = try hearth(cluster, "database", "limits", name, "--writes", "0", "--data-bytes", "1")
        #expect(try codes(name, "-X", "PUT", "-d", "\"a long text\"", "-H", bearer) == ["507"])
        _ = try hearth(cluster, "database", "limits", name, "--connections", "1")
        let stream = try Program(
            "/usr/bin/env",
            [
                "curl", "-sSN", cluster.address(1) + "/.json?ns=" + name, "-H",
                "Accept: text/event-stream", "-H", bearer,
            ])
        try eventually("the stream has data") { stream.output.contains("event: put") }
        #expect(try codes(name, "-H", "Accept: text/event-stream", "-H", bearer) == ["429"])
        #expect(try codes(name, "-H", bearer) == ["200"])
        try stream.kill()
        _ = try hearth(cluster, "database", "limits", name, "--clear")
        #expect(try codes(name, "-X", "PUT", "-d", "2", "-H", bearer) == ["200"])
    }

    @Test func `move to other nodes, which have their data and limits`() throws {
        let cluster = try TestCluster()
        #expect(
            try hearth(cluster, "database", "create", "chat", "--nodes", "n1,n2")
                == "chat is created on n1, n2\n")
        _ = try hearth(cluster, "set", "/a", "1", "--database", "chat")
        let limited = try hearth(cluster, "database", "limits", "chat", "--data-bytes", "20")
        #expect(limited.contains("20"), "\(limited)")
        #expect(
            try hearth(cluster, "database", "move", "chat", "--nodes", "n3") == "chat is on n3\n")
        #expect(try curl(cluster.address(3) + "/a.json?ns=chat") == "1")
        let long = String(repeating: "x", count: 40)
        let refused = try curl(
            cluster.address(3) + "/b.json?ns=chat", "-X", "PUT", "-d", "\"\(long)\"")
        #expect(refused.contains("write_too_big") || refused.contains("error"), "\(refused)")
        #expect(try curl(cluster.address(1) + "/a.json?ns=chat", "-L") == "1")
        for node in ["n1", "n3"] {
            try cluster.run("kill", node)
            try cluster.run("start", node)
        }
        // A node refuses names that it does not know until it has followed the catalog.
        try eventually("n1 redirects clients") {
            try curl(cluster.address(1) + "/.json?ns=chat", "-L") == "{\"a\":1}"
        }
        let folder = cluster.folder.file("n1/databases/chat/log.sqlite")
        #expect(!FileManager.default.fileExists(atPath: folder))
        let again = try hearth(cluster, "database", "move", "chat", "--nodes", "n3")
        #expect(again == "chat is already on n3\n")
        try checkRefusals(cluster)
    }

    /// A database on the third node, and commands that cannot be done.
    private func checkRefusals(_ cluster: TestCluster) throws {
        func refusal(_ words: String...) throws -> String {
            let outcome = try Program(
                Program.hearthPath, words + ["--dir", cluster.folder.path]
            ).end()
            #expect(outcome.status != 0)
            return outcome.errors
        }
        #expect(
            try refusal("database", "move", "none", "--nodes", "n1").contains("no database none"))
        #expect(
            try refusal("backup", "monday", "--database", "chat", "--node", "n1")
                .contains(
                    "This node does not hold the database chat.\nfix: ask one of its nodes: n3"))
        #expect(
            try refusal("cluster", "remove", "n3").contains(
                "placed on n3, so other nodes may lack them: chat"))
        _ = try hearth(cluster, "database", "create", "solo", "--nodes", "n2")
        try cluster.run("kill", "n2")
        #expect(
            try refusal("get", "/", "--database", "solo", "--node", "n1").contains(
                ": the database solo is at \(cluster.address(2)), which does not answer"))
        // Nodes that a placement does not concern may be away.
        let created = try hearth(cluster, "database", "create", "game", "--nodes", "n1,n3")
        #expect(
            created == "game is created on n1, n3\n"
                + "not yet at n2: these nodes follow once they reach the others\n")
        let stuck = try refusal("database", "move", "game", "--nodes", "n2", "--timeout", "2")
        #expect(stuck.contains("error: n2 did not take part:"))
        #expect(stuck.contains("fix: start n2, and run the command again"))
        let list = try hearth(cluster, "database", "list", "--node", "n3")
        #expect(list.contains("moves from n1,n3 to n2"))
        #expect(
            try hearth(cluster, "database", "move", "game", "--cancel")
                == "the move of game is given up\n")
        _ = try hearth(cluster, "database", "remove", "game", "--yes", "--timeout", "2")
        #expect(
            try refusal("database", "create", "game", "--nodes", "n1")
                .contains("The database game was removed"))
        let read = try Program.hearth(
            "get", "/", "--database", "game", "--node", "n1", "--dir", cluster.folder.path
        ).end()
        #expect(read.status == 65 && read.errors.contains("The database game was removed"))
    }

    @Test func `sleep without clients, and wake with their data`() throws {
        let cluster = try TestCluster()
        try cluster.run("down")
        let path = cluster.folder.path + "/cluster.json"
        let created = try String(contentsOfFile: path, encoding: .utf8)
        try created.replacing("{\n  \"c", with: "{\n  \"databaseSleepSeconds\": 1,\n  \"c")
            .write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try cluster.up().end().status == 0)
        let url = cluster.address(1) + "/a.json?ns=chat"
        #expect(try curl(url, "-X", "PUT", "-d", "1") == "1")
        for node in ["n1", "n2", "n3"] {
            let log = cluster.folder.file("\(node)/databases/chat/log.sqlite-wal")
            try eventually("SQLite deletes the log as it closes the file") {
                !FileManager.default.fileExists(atPath: log)
            }
        }
        // The other nodes wake the database, too.
        try cluster.run("kill", "n1")
        #expect(try curl(cluster.address(2) + "/a.json?ns=chat", "-X", "PUT", "-d", "2") == "2")
        #expect(try curl(cluster.address(3) + "/a.json?ns=chat") == "2")
        try cluster.run("start", "n1")
        #expect(try curl(url) == "2")
    }

    @Test func `are removed for ever, also at a node that is away`() throws {
        let cluster = try TestCluster()
        #expect(try curl(cluster.address(1) + "/a.json?ns=chat", "-X", "PUT", "-d", "1") == "1")
        _ = try hearth(cluster, "backup", "monday", "--database", "chat")
        try eventually("all nodes have the data") {
            try (2...3).allSatisfy {
                try curl(cluster.address($0) + "/a.json?ns=chat") == "1"
            }
        }
        try cluster.run("kill", "n3")
        let unsure = try Program.hearth(
            "database", "remove", "chat", "--dir", cluster.folder.path
        ).end()
        #expect(unsure.status == 64 && unsure.errors.contains("--yes"))
        let removed = try hearth(
            cluster, "database", "remove", "chat", "--yes", "--timeout", "3")
        #expect(removed.hasPrefix("chat is removed\nnot yet at "))
        let again = try Program(
            Program.hearthPath, ["database", "create", "chat", "--dir", cluster.folder.path]
        ).end()
        #expect(again.status == 65)
        #expect(again.errors.contains("The database chat was removed.\nfix: use another name"))
        try cluster.run("start", "n3")
        for node in 1...3 {
            try eventually("n\(node) refuses the name") {
                try curl(cluster.address(node) + "/a.json?ns=chat").contains("was removed")
            }
            let file = cluster.folder.file("n\(node)/databases/chat/log.sqlite")
            try eventually("n\(node) deletes the files") {
                !FileManager.default.fileExists(atPath: file)
            }
        }
        try cluster.run("down")
        // As after the death of a process that had recorded the removal.
        try FileManager.default.createDirectory(
            atPath: cluster.folder.file("n1/databases/chat"), withIntermediateDirectories: true)
        let rest = try cluster.folder.write("", to: "n1/databases/chat/log.sqlite")
        #expect(try cluster.up().end().status == 0)
        #expect(try names(cluster) == ["default"])
        #expect(!FileManager.default.fileExists(atPath: rest))
    }

    /// A misspelt name in a command is refused where clients create databases.
    private func checkCommandsCreateNothing(_ cluster: TestCluster) throws {
        for words in [["get", "/a"], ["set", "/a", "1"], ["rules", "get"]] {
            // In the first second a node may lack databases of its peers, and accepts no clients of others.
            try eventually("\(words[0]) is refused for good") {
                let outcome = try Program(
                    Program.hearthPath,
                    words + ["--database", "zoo", "--dir", cluster.folder.path]
                ).end()
                return outcome.status == 65 && outcome.errors.contains("hearth database create")
            }
        }
        #expect(try names(cluster) == ["default"])
    }

    @Test func `of unknown names are refused or mean the default one, as the file says`() throws {
        let cluster = try TestCluster()
        let path = cluster.folder.path + "/cluster.json"
        let created = try String(contentsOfFile: path, encoding: .utf8)
        #expect(created.contains(#""unknownDatabases": "create""#))
        try checkCommandsCreateNothing(cluster)
        try cluster.run("down")
        for (setting, answer) in [("default", "1"), ("refuse", "no database zoo")] {
            let text = created.replacing(#""create""#, with: "\"\(setting)\"")
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let up = try cluster.up().end()
            #expect(up.status == 0, "\(up.errors)")
            let url = cluster.address(1) + "/a.json"
            #expect(try curl(url, "-X", "PUT", "-d", "1") == "1")
            // In the first second a node may lack databases of its peers.
            try eventually("the name is known to be unknown") {
                try curl(url + "?ns=zoo").contains(answer)
            }
            let native = try Program.hearth(
                "get", "/a", "--database", "zoo", "--dir", cluster.folder.path
            ).end()
            #expect(native.status != 0 && native.output.isEmpty, "\(native.errors)")
            let log = try cluster.run("logs", "n1")
            #expect(log.contains("the database \"zoo\" use the default"))
            try cluster.run("down")
        }
    }
}

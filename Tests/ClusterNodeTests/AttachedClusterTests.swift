import Foundation
import Testing

/// `hearth cluster up` in the foreground, and the logs of its nodes.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `A cluster in the foreground` {
    private func hearth(_ folder: TemporaryFolder, _ words: String...) throws -> Program.Outcome {
        try Program(Program.hearthPath, words + ["--dir", folder.path]).end(within: 60)
    }

    @Test
    func `reports at once which node ended and how, continues with a changed list, and stops all`()
        throws
    {
        let folder = try TemporaryFolder()
        let up = try Program.hearth(
            "cluster", "up", "--nodes", "3", "--dir", folder.path, "--base-port",
            "\(try TestCluster.freePorts())")
        defer { _ = try? hearth(folder, "cluster", "down", "--grace", "5") }
        try eventually("the nodes serve") { up.output.contains("n3 http://") }
        _ = try hearth(folder, "cluster", "kill", "n2")
        try eventually("the end is told") {
            up.errors.contains("n2 was killed by signal 9 (Killed)")
                && up.errors.contains("its log ends with: 20")
        }
        #expect(try hearth(folder, "cluster", "start", "n2").status == 0)
        try eventually("the start is told") { up.errors.contains("n2 runs again") }
        let removed = try hearth(folder, "cluster", "remove", "n3")
        #expect(removed.status == 0, "\(removed.errors)")
        _ = try hearth(folder, "cluster", "kill", "n1")
        try eventually("an end is told after the change") { up.errors.contains("n1 ended") }
        up.terminate()
        #expect(try up.end().status == 130)
        let status = try hearth(folder, "cluster", "status")
        #expect(status.status == 69)
        #expect(status.errors.contains("n1 is stopped, n2 is stopped"))
    }

    @Test func `has logs with dates, merged by time, of which some are shown`() throws {
        let cluster = try TestCluster()
        let all = try cluster.run("logs").split(separator: "\n")
        let times = all.map { $0.prefix(23) }
        #expect(times == times.sorted())
        #expect(Set(all.map { $0.split(separator: " ")[2] }) == ["n1", "n2", "n3"])
        #expect(times.allSatisfy { $0.hasPrefix("20") })
        let last = try cluster.run("logs", "n2", "-n", "1")
        #expect(last.split(separator: "\n").count == 1)
        #expect(last.split(separator: " ")[2] == "n2")
        #expect(try cluster.run("logs", "--since", "1h").split(separator: "\n").count >= all.count)
        #expect(try cluster.run("logs", "--since", "2999-01-01") == "")
        let wrong = try hearth(cluster.folder, "cluster", "logs", "--since", "noon")
        #expect(wrong.status == 64)
        let following = try Program.hearth(
            "cluster", "logs", "-n", "0", "--follow", "--dir", cluster.folder.path)
        try cluster.run("kill", "n3")
        try cluster.run("start", "n3")
        try eventually("what is new is shown") { following.output.contains("n3 serving clients") }
        following.terminate()
        #expect(try following.end().status == 130)
    }

    @Test func `is named by its configuration as well as by its folder`() throws {
        let cluster = try TestCluster()
        let file = ["--config", cluster.folder.file("cluster.json")]
        func run(_ words: String...) throws -> Program.Outcome {
            try Program(Program.hearthPath, ["cluster"] + words + file).end(within: 60)
        }
        let stopped = try run("stop", "n2")
        #expect(stopped.status == 0 && stopped.output.hasPrefix("n2 stopped"), "\(stopped.errors)")
        #expect(try run("stop", "n2").status == 69, "it does not run")
        let started = try run("start", "n2")
        #expect(started.status == 0 && started.output.hasPrefix("n2 serves at"))
        #expect(try run("logs", "n2", "-n", "1").output.contains(" n2 "))
    }

    @Test func `completes the names of its nodes and the paths of its data`() throws {
        let cluster = try TestCluster()
        _ = try hearth(cluster.folder, "set", "/rooms", #"{"lobby": {"a": 1}, "lounge": 2}"#)
        func complete(_ words: String...) throws -> [Substring] {
            let before = ["complete", "--", words[0], "--dir", cluster.folder.path]
            return try Program(Program.hearthPath, before + words.dropFirst()).end().output
                .split(separator: "\n")
        }
        #expect(try complete("get", "--node", "n") == ["n1", "n2", "n3"])
        #expect(try complete("get", "/ro") == ["/rooms/"])
        #expect(try complete("get", "/rooms/lo") == ["/rooms/lobby/", "/rooms/lounge"])
        try cluster.run("down")
        #expect(try complete("get", "/ro") == [], "without a word of what went wrong")
    }
}

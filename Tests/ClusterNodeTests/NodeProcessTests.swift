import Foundation
import Testing

@testable import ClusterAdministration

/// One node by itself, run as `hearth node` by hand.
@Suite(.serialized, .timeLimit(.minutes(1))) struct `A node process` {
    private let folder: TemporaryFolder
    private let configuration: String
    private let address: String

    init() throws {
        let port = try TestCluster.freePorts()
        let file = ClusterFile(nodeCount: 1, basePort: port, durability: "commit")
        folder = try TemporaryFolder()
        configuration = try folder.write(
            String(decoding: file.json, as: UTF8.self), to: "cluster.json")
        address = file.nodes[0].client
    }

    private func start() throws -> Program {
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        try eventually("the node serves") { node.errors.contains("serving clients at \(address)") }
        return node
    }

    @Test func `ends with 0 on SIGTERM`() throws {
        let node = try start()
        node.terminate()
        let outcome = try node.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasSuffix("n1 stopped\n"))
    }

    /// `nohup` starts programs so.
    @Test func `goes on after the end of its terminal if SIGHUP was ignored, as commands do`()
        throws
    {
        func ignoring(_ arguments: String...) throws -> Program {
            let words = ["-c", "trap '' HUP; exec \"$@\"", "sh", Program.hearthPath]
            return try Program("/bin/sh", words + arguments)
        }
        let node = try ignoring("node", "--config", configuration, "--id", "n1")
        try eventually("the node serves") { node.errors.contains("serving clients") }
        let watch = try ignoring("watch", "/a", "--events", "value", "--node", address)
        try eventually("the command shows what is there") { watch.output.contains("null") }
        for program in [node, watch] { kill(program.identifier, SIGHUP) }
        #expect(try Program.hearth("set", "/a", "73", "--node", address).end().status == 0)
        try eventually("the command shows the change") { watch.output.contains("73") }
        watch.terminate()
        _ = try watch.end()
        node.terminate()
        #expect(try node.end().status == 0)
    }

    @Test func `refuses a folder that another process uses`() throws {
        let first = try start()
        defer { first.terminate() }
        let second = try Program.hearth("node", "--config", configuration, "--id", "n1").end()
        #expect(second.status == 69)
        #expect(second.errors.contains("n1/log.sqlite is in use by another process"))
    }

    /// A limit on the size of files stands for a full disk.
    @Test func `ends when it cannot write, and has acknowledged nothing that is not there`() throws
    {
        let limited = try Program(
            "/bin/sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 500; exec \"$@\"", "sh", Program.hearthPath, "node",
                "--config", configuration, "--id", "n1",
            ])
        try eventually("the node serves") { limited.errors.contains("serving clients") }
        let pusher = try Program.client("push", address, "list", "a", "100000")
        let outcome = try limited.end()
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("error: "))
        #expect(outcome.errors.contains("log.sqlite"))
        _ = try pusher.end()
        let acknowledged = pusher.acknowledged
        #expect(!acknowledged.isEmpty)

        let node = try start()
        defer { node.terminate() }
        let list = try Program.client("get", address, "list").end().output
        #expect(acknowledged.allSatisfy { list.contains("\"\($0.key)\"") })
    }

    @Test func `needs more open files than it has itself`() throws {
        let outcome = try Program(
            "/usr/bin/prlimit",
            ["--nofile=20:20", Program.hearthPath, "node", "--config", configuration, "--id", "n1"]
        ).end()
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("n1 may have 20 files and connections open, and needs 40"))
        #expect(outcome.errors.contains("fix: raise the limit"))
    }

    /// The modes of a node's folder and of all in it, without the kinds of files.
    private func modes() throws -> [String: Int] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.file("n1"))
        return try ([""] + names).reduce(into: [:]) { modes, name in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.file("n1/" + name))
            modes[name] = attributes[.posixPermissions] as? Int
        }
    }

    @Test func `has files that only its user reads, also those of before`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("n1/backups"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let old = try folder.write("", to: "n1/backups/old.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: old)
        let node = try start()
        defer { node.terminate() }
        let set = try Program.hearth("set", "/a", "1", "--node", address).end()
        #expect(set.status == 0)
        let backup = try Program.hearth("backup", "new", "--node", address).end()
        #expect(backup.status == 0)
        let modes = try modes()
        let known = [
            "": 0o700, "backups": 0o700, "backups/old.sqlite": 0o600, "backups/new.tar": 0o600,
            "log.sqlite": 0o600, "log.sqlite-wal": 0o600, "databases/_catalog/log.sqlite": 0o600,
        ]
        for (path, mode) in known { #expect(modes[path] == mode, "\(path)") }
        #expect(modes.values.allSatisfy { $0 & 0o077 == 0 }, "\(modes)")
    }

    @Test func `accepts no writes once its folder is deleted, and reports it everywhere`() throws {
        let node = try start()
        defer { node.terminate() }
        try FileManager.default.removeItem(atPath: folder.file("n1"))
        try eventually("the node has noticed") { node.errors.contains("accepts no writes: ") }
        let problem = "n1/log.sqlite was deleted, moved or replaced"
        let set = try Program.hearth("set", "/a", "1", "--node", address, "--timeout", "3").end()
        #expect(set.status != 0 && set.errors.contains(problem))
        let health = try Program("/usr/bin/curl", ["-sS", address + "/health"]).end()
        #expect(health.output == "{\"status\":\"the database was deleted or moved\"}\n")
        let doctor = try Program.hearth("cluster", "doctor", "--config", configuration).end()
        #expect(doctor.output.contains(problem) && doctor.output.contains("fix: move its folder"))
        node.terminate()
        let end = try node.end()
        #expect(end.status == 0)
    }

    @Test func `accepts no writes once the folder of one of its databases is deleted`() throws {
        let node = try start()
        defer { node.terminate() }
        let create = try Program.hearth("database", "create", "chat", "--node", address).end()
        #expect(create.status == 0, "\(create.errors)")
        try FileManager.default.removeItem(atPath: folder.file("n1/databases/chat"))
        try eventually("the node has noticed") {
            node.errors.contains("databases/chat/log.sqlite was deleted, moved or replaced")
        }
        let set = try Program.hearth("set", "/a", "1", "--node", address, "--timeout", "3").end()
        #expect(set.status != 0)
    }

    private func start(limitedTo openFiles: String) throws -> Program {
        let node = try Program(
            "/usr/bin/prlimit",
            ["--nofile=\(openFiles)", Program.hearthPath, "node"]
                + ["--config", configuration, "--id", "n1"])
        try eventually("the node serves") { node.errors.contains("serving clients") }
        return node
    }

    @Test func `opens as many files as the system allows`() throws {
        let node = try start(limitedTo: "64:4096")
        defer { node.terminate() }
        let limits = try String(contentsOfFile: "/proc/\(node.identifier)/limits", encoding: .utf8)
        #expect(limits.contains(/Max open files +4096 +4096/))
    }

    @Test func `leaves files to its disk and its peers, and serves others again`() throws {
        let node = try start(limitedTo: "64:64")
        defer { node.terminate() }
        let crowd = try Program.client("crowd", address, "100")
        try eventually("some are served") { !crowd.output.isEmpty }
        let served = try #require(Int(crowd.output.dropLast()))
        #expect(served == 16, "the fewest clients that a node serves")
        try crowd.kill()
        let read = try Program.client("get", address, "crowd").end()
        #expect(read.output == "\(served)\n", "\(read.errors)")
    }

    @Test func `does not open to the network unasked`() throws {
        let text = folder.text(of: "cluster.json").replacing("127.0.0.1", with: "0.0.0.0")
        let open = try folder.write(text, to: "open.json5")
        let outcome = try Program.hearth("node", "--config", open, "--id", "n1").end()
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("--insecure"))
    }

    @Test(arguments: [
        (["--id", "n9"], "has no node n9", "use one of n1"),
        (["--id", "n1", "--key", "/no/key"], "cannot read key /no/key", "hearth keys new"),
        (
            ["--id", "n1", "--config", "/no/file"], "cannot read configuration /no/file",
            "name an existing"
        ),
    ])
    func `ends with 78 for a mistake in its files, which no restart corrects`(
        words: [String], problem: String, fix: String
    ) throws {
        for check in [[], ["--check"], ["--check", "--json"]] {
            let outcome = try Program(
                Program.hearthPath, ["node", "--config", configuration] + words + check
            ).end()
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("error: ") && outcome.errors.contains("fix: "))
            #expect(outcome.errors.contains(problem), "\(outcome.errors)")
            #expect(outcome.errors.contains(fix))
            let isJSON = check.contains("--json")
            #expect(outcome.output.hasSuffix(",\"valid\":false}\n") == isJSON)
        }
    }

    @Test func `checks its files without starting`() throws {
        let whole = try Program.hearth("node", "--check", "--config", configuration).end()
        #expect(whole.status == 0 && whole.output.contains("is valid, for n1."))
        let node = try Program.hearth(
            "node", "--check", "--config", configuration, "--id", "n1", "--json"
        ).end()
        #expect(node.status == 0)
        #expect(node.output.hasSuffix("\"node\":\"n1\",\"valid\":true}\n"), "\(node.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("n1")))
        let usage = try Program.hearth("node", "--config", configuration, "--json").end()
        #expect(usage.status == 64)
    }

    @Test func `reports to systemd once it serves, and when it stops`() throws {
        let manager = try ServiceManager(at: folder.file("notify"))
        let node = try Program(
            "/usr/bin/env",
            ["NOTIFY_SOCKET=\(manager.path)", Program.hearthPath, "node"]
                + ["--config", configuration, "--id", "n1"])
        #expect(manager.next() == "STATUS=Waiting for contact with the other nodes")
        #expect(manager.next() == "READY=1\nSTATUS=Serving clients")
        #expect(node.errors.contains("serving clients at"))
        node.terminate()
        #expect(manager.next() == "STOPPING=1\nSTATUS=Stopping")
        #expect(try node.end().status == 0)
    }
}

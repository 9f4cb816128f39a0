import Foundation
import Testing

@testable import ClusterAdministration

/// A file system of 64 MB in a namespace of its own, which goes away with the fixture.
private final class SmallDisk {
    /// Whether this user may make namespaces, and the programs for it are there.
    static let isPossible =
        (try? Program("/usr/bin/unshare", ["-Urm", "/usr/bin/true"]).end().status) == 0
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/nsenter")

    /// Has the namespace, also when no node runs there.
    private let keeper: Program
    private let filler: String

    init(at folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let keeper = try Program(
            "/usr/bin/unshare",
            [
                "-Urm", "sh", "-c",
                "mount -t tmpfs -o size=64m tmpfs \"$1\" && echo && exec sleep 120",
            ]
                + ["sh", folder])
        try eventually("the disk is there") { !keeper.output.isEmpty }
        filler = "/proc/\(keeper.identifier)/root\(folder)/filler"
        self.keeper = keeper
    }

    deinit { keeper.terminate() }

    /// Has something else take all room but so much.
    func fill(leaving byteCount: Int) throws {
        try Data(count: (64 << 20) - byteCount).write(to: URL(fileURLWithPath: filler))
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }

    /// Starts `hearth` where the disk is.
    func program(_ words: String...) throws -> Program {
        try Program(
            "/usr/bin/nsenter",
            ["-t", "\(keeper.identifier)", "-U", "-m", "--preserve-credentials"]
                + [Program.hearthPath] + words)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A node on a full disk` {
    private let folder: TemporaryFolder
    private let configuration: String
    private let addresses: [String]

    init() throws {
        let file = ClusterFile(
            nodeCount: 3, basePort: try TestCluster.freePorts(), durability: "commit")
        folder = try TemporaryFolder()
        configuration = try folder.write(
            String(decoding: file.json, as: UTF8.self), to: "cluster.json")
        addresses = file.nodes.map(\.client)
    }

    private func read(_ path: String, at nodes: Int...) throws -> Program.Outcome {
        let options = nodes.flatMap { ["--node", addresses[$0 - 1]] }
        return try Program(
            Program.hearthPath, ["get", path, "--timeout", "3"] + options
        ).end()
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs namespaces of users and mounts"))
    func `is reported, and ends once there is room, also after a kill`() throws {
        let disk = try SmallDisk(at: folder.file("n2"))
        try disk.fill(leaving: 6 << 20)
        let peers = try ["n1", "n3"].map {
            try Program.hearth("node", "--config", configuration, "--id", $0)
        }
        var node = try disk.program("node", "--config", configuration, "--id", "n2")
        defer { for program in peers + [node] { program.terminate() } }
        try eventually("n2 serves") { node.errors.contains("serving clients") }

        let text = String(repeating: "x", count: 480)
        let lines = (1...20_000).map { "{\"n\":\($0),\"text\":\"\(text)\"}\n" }.joined()
        let pusher = try Program(
            Program.hearthPath,
            ["push", "/list", "--stdin", "--node", addresses[1], "--timeout", "120"],
            input: URL(fileURLWithPath: try folder.write(lines, to: "lines")))
        try eventually("the disk is full") { node.errors.contains("accepts no writes") }

        let doctor = try Program.hearth("cluster", "doctor", "--config", configuration).end()
        let problem = "cannot write database \(folder.file("n2/log.sqlite")): the disk is full"
        let advice = "free some space; until then, use another node"
        #expect(
            doctor.output.contains("error: n2 accepts no writes: \(problem)\n  fix: \(advice)\n"),
            "\(doctor.output)")
        #expect(try read("/list/none", at: 2).errors.hasPrefix("error: \(problem)\nfix: "))
        #expect(try read("/list/none", at: 2, 3).output == "null\n")
        let elsewhere = try Program.hearth("set", "/elsewhere", "1", "--node", addresses[0]).end()
        #expect(elsewhere.status == 0)

        let acknowledged = pusher.output.split(separator: "\n").dropLast()
        #expect((1_000..<20_000).contains(acknowledged.count))
        try node.kill()
        node = try disk.program("node", "--config", configuration, "--id", "n2")
        try eventually("n2 is back") { node.errors.contains("accepts no writes") }
        try disk.makeRoom()
        let pushed = try pusher.end()
        #expect(pushed.status == 0, "\(pushed.errors)")
        #expect(node.errors.contains("the disk works again"))

        try node.kill()
        node = try disk.program("node", "--config", configuration, "--id", "n2")
        let keys = Set(pushed.output.split(separator: "\n").map(String.init))
        #expect(keys.count == 20_000 && acknowledged.allSatisfy { keys.contains(String($0)) })
        var trees: [String] = []
        try eventually("all have all") {
            trees = try (1...3).map { try read("/", at: $0).output }
            return trees.allSatisfy { $0.contains("elsewhere") } && Set(trees).count == 1
        }
        let held = Set(trees[0].split(separator: "\"").map(String.init))
        #expect(keys.isSubset(of: held))
        #expect(trees[0].matches(of: /"n":/).count == 20_000)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs namespaces of users and mounts"))
    func `answers the write that finds no room, and ends on SIGTERM`() throws {
        let disk = try SmallDisk(at: folder.file("n2"))
        try disk.fill(leaving: 1 << 20)
        let alone = ClusterFile(
            nodeCount: 1, basePort: try TestCluster.freePorts(), durability: "commit")
        var text = String(decoding: alone.json, as: UTF8.self)
        text.replace("\"n1\"", with: "\"n2\"")
        let file = try folder.write(text, to: "alone.json")
        let node = try disk.program("node", "--config", file, "--id", "n2")
        defer { node.terminate() }
        try eventually("n2 serves") { node.errors.contains("serving clients") }

        let value = try folder.write("\"\(String(repeating: "x", count: 2 << 20))\"", to: "value")
        let put = try Program(
            "/usr/bin/curl",
            ["-sS", "-m", "10", "-w", " %{http_code} %{time_total}", "-X", "PUT"]
                + ["--data-binary", "@" + value, alone.nodes[0].client + "/large.json"]
        ).end()
        let words = put.output.split(whereSeparator: \.isWhitespace)
        #expect(put.output.contains("the disk is full; the write may still take effect"))
        #expect(words.dropLast().last == "504")
        #expect(words.last.flatMap { Double($0) }.map { $0 < 3 } == true, "\(put.output)")
        node.terminate()
        let end = try node.end(within: 5)
        #expect(end.status == 0)
        #expect(end.errors.contains("ends without its last writes on the disk"))
    }
}

import Foundation
import Testing

/// The recipe for several hosts: the three scripts of the section in Setup, and the unit of systemd.
private struct Recipe {
    let scripts: [String]
    /// How the unit starts a node.
    let start: [String]

    init() throws {
        func text(_ name: String) throws -> String {
            try String(
                contentsOf: Fixture.repository.appendingPathComponent(name), encoding: .utf8)
        }
        let page = try text("Sources/Hearth/Hearth.docc/Setup.md")
        let section = try #require(page.components(separatedBy: "## Set up several hosts\n").last)
            .components(separatedBy: "\n## ")[0]
        scripts = section.components(separatedBy: "```bash\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        let unit = try text("configs/hearth@.service").split(separator: "\n")
        let line = try #require(unit.first { $0.hasPrefix("ExecStart=") })
        start = line.dropFirst("ExecStart=".count).split(separator: " ").map(String.init)
    }

    /// Copies files to hosts that are folders, and has systemd note which nodes to start.
    static let programs = """
        scp() {
            local host=$ROOT/${*: -1}
            host=${host%%:*}
            mkdir -p "$host"
            cp "${@:1:$#-1}" "$host/"
            sed -i "s,/var/lib/hearth,$host/data," "$host/cluster.json5"
        }
        ssh() {
            case "$*" in
                "10.0.0."[123]" chown -R hearth: /etc/hearth") ;;
                "10.0.0."[123]" systemctl enable --now --no-block hearth@n"[123]) echo "$1 ${*: -1}" >>"$ROOT/started" ;;
                *) echo "unexpected: ssh $*" >&2; return 1 ;;
            esac
        }
        """
}

/// Three hosts, and one for whoever operates them: network namespaces with a switch between them.
private final class Hosts {
    /// Whether this user may make namespaces, and the program for it is there.
    static let arePossible =
        geteuid() == 0 && (try? run("netns", "add", "hearth-probe").status) == 0
        && (try? run("netns", "del", "hearth-probe").status) == 0
    private static let operatorHost = 4

    let folder: TemporaryFolder
    private let recipe: Recipe
    private let name = "h\(getpid() % 100_000)"
    private(set) var nodes: [Program] = []

    init() throws {
        folder = try TemporaryFolder()
        recipe = try Recipe()
        try connect()
        for script in recipe.scripts.prefix(2) {
            let outcome = try run(script)
            try #require(outcome.status == 0, "\(script)\n\(outcome.errors)")
        }
        #expect(
            folder.text(of: "started")
                == (1...3).map { "10.0.0.\($0) hearth@n\($0)\n" }.joined())
        for host in 1...3 { nodes.append(try start(host)) }
    }

    /// Starts the node of a host as its unit does.
    private func start(_ host: Int) throws -> Program {
        let words = recipe.start.dropFirst().map { word in
            word.replacing("%i", with: "n\(host)")
                .replacing("/etc/hearth", with: folder.file("10.0.0.\(host)"))
        }
        return try Program(
            "/usr/sbin/ip",
            ["netns", "exec", "\(name)-\(host)", Program.hearthPath] + words)
    }

    /// Runs a script of the recipe as its operator.
    func run(_ script: String) throws -> Program.Outcome {
        let bin = folder.file("bin")
        try? FileManager.default.createDirectory(
            atPath: bin, withIntermediateDirectories: false)
        try? FileManager.default.createSymbolicLink(
            atPath: bin + "/hearth", withDestinationPath: Program.hearthPath)
        let whole = [
            "cd \(folder.path)", "export ROOT=$PWD", "PATH=\(bin):$PATH", Recipe.programs, script,
        ].joined(separator: "\n")
        return try Program(
            "/usr/sbin/ip",
            [
                "netns", "exec", "\(name)-\(Hosts.operatorHost)", "bash", "-euo", "pipefail", "-c",
                whole,
            ]
        ).end(within: 60)
    }

    /// The last script of the recipe, which uses the cluster.
    var usage: String { recipe.scripts[2] }

    /// A switch in a namespace of its own, with a cable to each host.
    private func connect() throws {
        try ip("netns", "add", name)
        try ip("-n", name, "link", "add", "switch", "type", "bridge")
        try ip("-n", name, "link", "set", "switch", "up")
        for host in 1...Hosts.operatorHost {
            let space = "\(name)-\(host)"
            try ip("netns", "add", space)
            try ip(
                "-n", name, "link", "add", "port\(host)", "type", "veth", "peer", "name", "eth0",
                "netns", space)
            try ip("-n", name, "link", "set", "port\(host)", "master", "switch", "up")
            try ip("-n", space, "address", "add", "10.0.0.\(host)/24", "dev", "eth0")
            try ip("-n", space, "link", "set", "eth0", "up")
            try ip("-n", space, "link", "set", "lo", "up")
        }
    }

    deinit {
        for node in nodes { node.terminate() }
        for node in nodes { _ = try? node.end(within: 15) }
        for host in 1...Hosts.operatorHost { _ = try? Hosts.run("netns", "del", "\(name)-\(host)") }
        _ = try? Hosts.run("netns", "del", name)
    }

    /// Pulls the cable of a host, or plugs it in.
    func setCable(of host: Int, _ state: String) throws {
        try ip("-n", name, "link", "set", "port\(host)", state)
    }

    /// Runs a verb on a host, against the node there.
    func run(on host: Int, input: URL? = nil, _ words: String...) throws -> Program.Outcome {
        try Program(
            "/usr/sbin/ip",
            ["netns", "exec", "\(name)-\(host)", Program.hearthPath] + words + [
                "--config", folder.file("cluster/cluster.json5"), "--node", "n\(host)", "--secret",
                folder.file("cluster/admin.secret"),
            ], input: input
        ).end(within: 60)
    }

    /// The bytes that went over the cable of a host so far, both ways.
    func bytesOverCable(of host: Int) throws -> Int {
        let text = try ip("-n", name, "-s", "-j", "link", "show", "port\(host)")
        return text.matches(of: /"bytes":(\d+)/).reduce(0) { $0 + (Int($1.1) ?? 0) }
    }

    /// The operations that nodes got by asking for them, node by node.
    func repaired() throws -> [Int] {
        let status = try run(
            "hearth cluster status --json --config cluster/cluster.json5 --secret cluster/admin.secret"
        )
        return status.output.matches(of: /"repaired":(\d+)/).compactMap { Int($0.1) }
    }

    @discardableResult private func ip(_ words: String...) throws -> String {
        let outcome = try Program("/usr/sbin/ip", words).end()
        try #require(outcome.status == 0, "ip \(words): \(outcome.errors)")
        return outcome.output
    }

    private static func run(_ words: String...) throws -> Program.Outcome {
        try Program("/usr/sbin/ip", words).end()
    }
}

@Suite struct `Three hosts` {
    @Test(
        .enabled(if: Hosts.arePossible, "needs root, and iproute2 for network namespaces"),
        .timeLimit(.minutes(3)))
    func `are set up by the commands in Setup, write while partitioned, and end equal`() throws {
        let hosts = try Hosts()
        for node in hosts.nodes {
            try eventually("the hosts hear each other") { node.errors.contains("has contact with") }
        }
        // One that reads at another node may be early.
        try eventually("the cluster can be used") {
            let used = try hosts.run(hosts.usage)
            #expect(used.status == 0, "\(used.errors)")
            #expect(used.output.contains("serving"))
            return used.output.matches(of: /"hello"/).count == 2
        }
        let lines = (1...500).map { "{\"n\":\($0)}\n" }.joined()
        let input = URL(fileURLWithPath: try hosts.folder.write(lines, to: "lines"))

        try hosts.setCable(of: 3, "down")
        try eventually("n1 misses n3") { hosts.nodes[0].errors.contains("lost contact with n3") }
        // Both sides take writes, each alone.
        func push(on host: Int) throws -> [Substring] {
            let pushed = try hosts.run(on: host, input: input, "push", "/list", "--stdin")
            #expect(pushed.status == 0, "\(pushed.errors)")
            return pushed.output.split(separator: "\n")
        }
        func list(on host: Int) throws -> String { try hosts.run(on: host, "get", "/list").output }
        let (here, beyond) = (try push(on: 1), try push(on: 3))
        #expect(Set(here + beyond).count == 1000)
        try eventually("n2 has what n1 took") {
            let shown = try list(on: 2)
            return here.allSatisfy { shown.contains($0) }
        }
        let (second, third) = (try list(on: 2), try list(on: 3))
        #expect(!beyond.contains { second.contains($0) } && !here.contains { third.contains($0) })

        let before = (bytes: try hosts.bytesOverCable(of: 3), repaired: try hosts.repaired())
        try hosts.setCable(of: 3, "up")
        for host in 1...3 {
            try eventually(within: 60, "n\(host) has all") {
                let shown = try list(on: host)
                return (here + beyond).allSatisfy { shown.contains($0) }
            }
        }
        let repaired = try hosts.repaired()
        print(
            "after the cut: \(try hosts.bytesOverCable(of: 3) - before.bytes) bytes over the cable, "
                + "operations repaired \(before.repaired) -> \(repaired)")
        #expect(repaired.count == 3 && repaired.reduce(0, +) >= 500)
        let trees = try (1...3).map { try hosts.run(on: $0, "get", "/", "--export").output }
        #expect(trees[0] == trees[1] && trees[1] == trees[2])
    }
}

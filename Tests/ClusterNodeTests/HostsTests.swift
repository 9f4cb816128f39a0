import Foundation
import Testing
import ZeroMQ

/// Three hosts: network namespaces with a switch between them, each with a node that has a key.
private final class Hosts {
    /// Whether this user may make namespaces, and the program for it is there.
    static let arePossible =
        geteuid() == 0 && (try? run("netns", "add", "hearth-probe").status) == 0
        && (try? run("netns", "del", "hearth-probe").status) == 0

    let folder: TemporaryFolder
    let configuration: String
    private let name = "h\(getpid() % 100_000)"
    private(set) var nodes: [Program] = []

    init() throws {
        folder = try TemporaryFolder()
        var keys: [String: PublicKey] = [:]
        for name in ["n1", "n2", "n3", "ada"] {
            let pair = KeyPair.random()
            keys[name] = pair.publicKey
            try KeyFile(folder.file(name + ".key")).write(pair)
        }
        let members = (1...3).map { host in
            """
            {id: "n\(host)", client: "tcp://10.77.7.\(host):7001",
             requests: "tcp://10.77.7.\(host):7002", updates: "tcp://10.77.7.\(host):7003",
             publicKey: "\(keys["n\(host)"]!)"}
            """
        }.joined(separator: ", ")
        configuration = try folder.write(
            "{cluster: 'hosts', nodes: [\(members)], clientKeys: ['\(keys["ada"]!)']}",
            to: "cluster.json5")
        try connect()
        for host in 1...3 {
            nodes.append(
                try program(
                    on: host, "node", "--config", configuration, "--id", "n\(host)", "--key",
                    folder.file("n\(host).key")))
        }
    }

    /// A switch in a namespace of its own, with a cable to each host.
    private func connect() throws {
        try ip("netns", "add", name)
        try ip("-n", name, "link", "add", "switch", "type", "bridge")
        try ip("-n", name, "link", "set", "switch", "up")
        for host in 1...3 {
            let space = "\(name)-\(host)"
            try ip("netns", "add", space)
            try ip(
                "-n", name, "link", "add", "port\(host)", "type", "veth", "peer", "name", "eth0",
                "netns", space)
            try ip("-n", name, "link", "set", "port\(host)", "master", "switch", "up")
            try ip("-n", space, "address", "add", "10.77.7.\(host)/24", "dev", "eth0")
            try ip("-n", space, "link", "set", "eth0", "up")
            try ip("-n", space, "link", "set", "lo", "up")
        }
    }

    deinit {
        for node in nodes { node.terminate() }
        for node in nodes { _ = try? node.end(within: 15) }
        for host in 1...3 { _ = try? Hosts.run("netns", "del", "\(name)-\(host)") }
        _ = try? Hosts.run("netns", "del", name)
    }

    /// Pulls the cable of a host, or plugs it in.
    func setCable(of host: Int, _ state: String) throws {
        try ip("-n", name, "link", "set", "port\(host)", state)
    }

    /// Starts `hearth` on a host.
    func program(on host: Int, input: URL? = nil, _ words: String...) throws -> Program {
        try Program(
            "/usr/sbin/ip", ["netns", "exec", "\(name)-\(host)", Program.hearthPath] + words,
            input: input)
    }

    /// Runs a verb on a host, against the node there.
    func run(on host: Int, input: URL? = nil, _ words: String...) throws -> Program.Outcome {
        try Program(
            "/usr/sbin/ip",
            ["netns", "exec", "\(name)-\(host)", Program.hearthPath] + words + [
                "--config", configuration, "--node", "n\(host)", "--key", folder.file("ada.key"),
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
        let status = try program(
            on: 1, "cluster", "status", "--json", "--config", configuration, "--key",
            folder.file("ada.key")
        ).end(within: 20)
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
    func `write on both sides of a pulled cable, and end equal`() throws {
        let hosts = try Hosts()
        for node in hosts.nodes {
            try eventually("the hosts hear each other") { node.errors.contains("has contact with") }
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

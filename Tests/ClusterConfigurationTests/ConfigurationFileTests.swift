import Foundation
import QueryEngine
import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterConfiguration

@Suite struct `A configuration file` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String) throws -> NodeConfiguration {
        try NodeConfiguration(contentsOf: folder.write(text, to: "cluster.json5"))
    }

    private func error(in text: String) throws -> NodeError {
        try #require(throws: NodeError.self) { try read(text) }
    }

    private static let node =
        #"{id: "n1", client: "http://127.0.0.1:1", requests: "tcp://127.0.0.1:2", updates: "tcp://127.0.0.1:3"}"#

    @Test func `may have comments and trailing commas`() throws {
        let configuration = try read("{cluster: 'a', /* one */ nodes: [\(Self.node),],} // end")
        #expect(configuration.cluster == "a")
        #expect(configuration.durability == .commit)
        #expect(configuration.folder(of: "n1") == folder.file("n1"))
        #expect(configuration.nodes.map(\.updates) == ["tcp://127.0.0.1:3"])
    }

    @Test func `is given as an example that works`() throws {
        let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../configs/three-nodes.json5").path
        let configuration = try NodeConfiguration(contentsOf: example)
        try configuration.check(for: .loopback)
        #expect(configuration.nodes.map(\.id) == ["n1", "n2", "n3"])
    }

    @Test func `is given as an example of several hosts that works`() throws {
        let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../configs/three-hosts.json5").path
        let configuration = try NodeConfiguration(contentsOf: example)
        try configuration.check(for: .loopback)
        #expect(configuration.hasKeys)
        #expect(Set(configuration.nodes.compactMap(\.publicKey)).count == 3)
        #expect(configuration.secrets.count == 1 && configuration.http.files != nil)
    }

    @Test func `sets limits for all databases and for single ones`() throws {
        let limits = try read(
            "{cluster: 'a', limits: {'*': {connections: 9}, chat: {writesPerSecond: 5}}, nodes: [\(Self.node)]}"
        ).databaseLimits
        let chat = try #require(DatabaseName("chat"))
        #expect(limits.limits(of: chat).limit(.writesPerSecond) == 5)
        #expect(limits.limits(of: chat).limit(.connections) == 9)
        #expect(limits.limits(of: .default).limit(.writesPerSecond) == nil)
        #expect(try read("{cluster: 'a', nodes: [\(Self.node)]}").databaseLimits == .init())
    }

    @Test(arguments: [
        ("chat: {\n connections: -1}", #":2: "connections" cannot be -1"#),
        ("'No name': {}", #""limits" has "No name", which is not the name of a database"#),
        ("chat: {\n writes: 1}", #":2: unknown key "writes""#),
        ("chat: {answerBytes: '1'}", #""limits chat answerBytes" is not"#),
    ])
    func `refuses unusable limits, and names them`(text: String, problem: String) throws {
        let error = try error(in: "{cluster: 'a', limits: {\(text)}, nodes: [\(Self.node)]}")
        #expect(error.problem.contains(problem), "\(error.problem)")
    }

    @Test func `sets the limit of the log and the policy of evicted nodes`() throws {
        let usual = try read("{cluster: 'a', nodes: [\(Self.node)]}")
        #expect(usual.logLimit == 10_000_000 && usual.evicted == .replay)
        let own = try read(
            "{cluster: 'a', logLimit: 5000, evicted: 'keep', nodes: [\(Self.node)]}")
        #expect(own.logLimit == 5_000 && own.evicted == .keep)
        let small = try error(in: "{cluster: 'a',\n logLimit: 5, nodes: [\(Self.node)]}")
        #expect(small.problem.contains(#":2: "logLimit" cannot be 5"#))
        let other = try error(in: "{cluster: 'a',\n evicted: 'lose', nodes: [\(Self.node)]}")
        #expect(other.problem.contains(#":2: "evicted" cannot be "lose""#))
        #expect(other.fix == "use replay, keep")
    }

    @Test func `sets the level and the format of the log, and the time of slow requests`() throws {
        let usual = try read("{cluster: 'a', nodes: [\(Self.node)]}").log
        #expect(usual.level == .info && usual.format == .text && usual.slowMilliseconds == 1_000)
        let own = try read(
            "{cluster: 'a', log: {level: 'warning', format: 'json', slowMilliseconds: 50}, nodes: [\(Self.node)]}"
        ).log
        #expect(own.level == .warning && own.format == .json && own.slowMilliseconds == 50)
        let other = try error(in: "{cluster: 'a',\n log: {level: 'loud'}, nodes: [\(Self.node)]}")
        #expect(other.problem.contains(#":2: "level" cannot be "loud""#))
        #expect(other.fix == "use info, warning, error")
        let unknown = try error(
            in: "{cluster: 'a',\n log: {levels: 'info'}, nodes: [\(Self.node)]}")
        #expect(unknown.problem.contains("levels"))
    }

    @Test func `names the lists with indexes, or the error in them`() throws {
        let configuration = try read(
            "{cluster: 'a', indexOn: {'rooms/$room': ['sent', '.value']}, indexMegabytes: 7, "
                + "nodes: [\(Self.node)]}")
        #expect(
            try configuration.indexes == IndexRules(["rooms/$room": ["sent", ".value"]]))
        #expect(configuration.indexMegabytes == 7)
        let error = try error(
            in: "{cluster: 'a',\n indexOn: {rooms: ['a.b']}, nodes: [\(Self.node)]}")
        #expect(error.problem.contains(#":2: "indexOn": invalid key "a.b""#))
    }

    @Test func `names a certificate and its key, hosts and origins`() throws {
        let usual = try read("{cluster: 'a', nodes: [\(Self.node)]}")
        #expect(usual.http == HTTPSettings())
        let own = try read(
            "{cluster: 'a', http: {certificate: 'c.pem', key: '/etc/k.pem', hosts: ['db.test'], "
                + "origins: ['null']}, nodes: [\(Self.node)]}")
        #expect(own.http.files?.certificate == folder.file("c.pem"))
        #expect(own.http.files?.key == "/etc/k.pem")
        #expect(own.http.hosts == ["db.test"] && own.http.origins == ["null"])
        let half = try error(in: "{cluster: 'a',\n http: {certificate: 'c'}, nodes: []}")
        #expect(half.problem.contains(#":2: "http" has a "certificate" and no "key""#))
        let other = try error(in: "{cluster: 'a',\n http: {key: 'c'}, nodes: []}")
        #expect(other.problem.contains(#":2: "http" has a "key" and no "certificate""#))
        let unknown = try error(in: "{cluster: 'a',\n http: {certificat: 'c'}, nodes: []}")
        #expect(unknown.fix.hasPrefix(#"use "certificate""#))
    }

    @Test func `has the hashes of secrets, and shows none of them in a message`() throws {
        let hash = "0F" + String(repeating: "a5", count: 31)
        let own = try read("{cluster: 'a', secrets: ['\(hash)', '\(hash)'], nodes: [\(Self.node)]}")
        let bytes = [15] + [UInt8](repeating: 0xA5, count: 31)
        #expect(own.secrets == [bytes, bytes])
        #expect(try read("{cluster: 'a', nodes: [\(Self.node)]}").secrets.isEmpty)
        for wrong in [
            "hunter2", hash + "0", String(hash.dropLast()) + "g", "é" + hash.dropFirst(2),
        ] {
            let error = try error(in: "{cluster: 'a',\n secrets: ['\(wrong)'], nodes: []}")
            #expect(error.problem.hasSuffix(#":2: "secrets" has an entry that is not a hash"#))
            #expect(!"\(error)".contains(wrong))
        }
        let many = [String](repeating: "'\(hash)'", count: 65).joined(separator: ",")
        let error = try error(in: "{cluster: 'a', secrets: [\(many)], nodes: []}")
        #expect(error.fix == "list 64 at most")
    }

    @Test func `has monitors' secrets beside those of administrators`() throws {
        let hashes = [5, 6].map { String(repeating: "0\($0)", count: 32) }
        func read(_ settings: String) throws -> NodeConfiguration {
            try self.read("{cluster: 'a', \(settings), nodes: [\(Self.node)]}")
        }
        let both = try read("secrets: ['\(hashes[0])'], monitorSecrets: ['\(hashes[1])']")
        try both.check(for: .loopback)
        #expect(both.monitorSecrets == [[UInt8](repeating: 6, count: 32)])
        let alone = try read("monitorSecrets: ['\(hashes[1])']")
        let open = try #require(throws: NodeError.self) { try alone.check(for: .loopback) }
        #expect(open.problem.hasSuffix("every client is an administrator"))
        let same = try read("secrets: ['\(hashes[0])'], monitorSecrets: ['\(hashes[0])']")
        let shared = try #require(throws: NodeError.self) { try same.check(for: .loopback) }
        #expect(shared.problem == #"a hash is in "secrets" and in "monitorSecrets""#)
        let wrong = try error(in: "{cluster: 'a',\n monitorSecrets: ['hunter2'], nodes: []}")
        #expect(wrong.problem.hasSuffix(#":2: "monitorSecrets" has an entry that is not a hash"#))
    }

    @Test func `says how many connections a node accepts`() throws {
        let own = try read(
            "{cluster: 'a', http: {maxConnections: 100000, maxConnectionsPerAddress: 2000}, nodes: []}"
        )
        #expect(own.http.maxConnections == 100_000 && own.http.maxConnectionsPerAddress == 2_000)
        let usual = try read("{cluster: 'a', http: {}, nodes: []}")
        #expect(usual.http.maxConnections == 10_000 && usual.http.maxConnectionsPerAddress == 500)
        for (key, number) in [("maxConnections", 0), ("maxConnectionsPerAddress", 1_000_001)] {
            let wrong = try error(in: "{cluster: 'a',\n http: {\(key): \(number)}, nodes: []}")
            #expect(wrong.problem.contains(#":2: "\#(key)" cannot be \#(number)"#))
            #expect(wrong.fix == "use a number from 1 to 1000000")
        }
    }

    @Test func `says how many databases a node has, and when they sleep`() throws {
        let usual = try read("{cluster: 'a', nodes: []}")
        #expect(usual.maxDatabases == 1_000 && usual.sleepMilliseconds == 60_000)
        let own = try read(
            "{cluster: 'a', maxDatabases: 2000, databaseSleepSeconds: 5, nodes: []}")
        #expect(own.maxDatabases == 2_000 && own.sleepMilliseconds == 5_000)
        for more in ["databaseSleepSeconds: 0", "durability: 'memory'"] {
            #expect(try read("{cluster: 'a', \(more), nodes: []}").sleepMilliseconds == nil)
        }
    }

    @Test func `says how large a body may be, and where clients go when a node stops`() throws {
        func node(_ id: Int, _ more: String) -> String {
            "{id: 'n\(id)', client: 'http://127.0.0.1:\(id)1', requests: 'tcp://127.0.0.1:\(id)2', "
                + "updates: 'tcp://127.0.0.1:\(id)3'\(more)}"
        }
        let nodes = [
            node(1, ", public: 'db1.test'"), node(2, ""), node(3, ", public: 'db3.test:8443'"),
        ]
        let own = try read(
            "{cluster: 'a', http: {maxBodyMegabytes: 7}, nodes: [\(nodes.joined(separator: ","))]}")
        #expect(own.http.maxBodyMegabytes == 7)
        #expect(own.publicHost(after: "n1") == "db3.test:8443")
        #expect(own.publicHost(after: "n2") == "db3.test:8443")
        #expect(own.publicHost(after: "n3") == "db1.test")
        #expect(own.nodes.map(\.publicName) == ["db1.test", nil, "db3.test"])
        let usual = try read("{cluster: 'a', nodes: [\(nodes[0])]}")
        #expect(usual.http.maxBodyMegabytes == 32 && usual.publicHost(after: "n1") == nil)
        let large = try error(in: "{cluster: 'a',\n http: {maxBodyMegabytes: 33}, nodes: []}")
        #expect(large.problem.contains(#":2: "maxBodyMegabytes" cannot be 33"#))
        for host in ["https://db.test", "", "db.test/x", "a b"] {
            let wrong = try error(in: "{cluster: 'a', nodes: [\(node(1, ", public: '\(host)'"))]}")
            #expect(wrong.problem.contains("which is not a host"))
        }
    }

    @Test func `says by which addresses other nodes reach one`() throws {
        let route = "{requests: 'tcp://127.0.0.1:22', updates: 'tcp://127.0.0.1:23'}"
        let node = Self.node.dropLast() + ",\n via: {n2: \(route)}}"
        let own = try read("{cluster: 'a', nodes: [\(node)]}").nodes[0]
        let other = PeerRoute(requests: "tcp://127.0.0.1:22", updates: "tcp://127.0.0.1:23")
        #expect(own.route(from: "n2") == other)
        let usual = PeerRoute(requests: "tcp://127.0.0.1:2", updates: "tcp://127.0.0.1:3")
        #expect(own.route(from: "n3") == usual)
        #expect(own.requests == usual.requests && own.updates == usual.updates)
        let half = Self.node.dropLast() + ", via: {n2: {requests: 'tcp://127.0.0.1:22'}}}"
        #expect(
            try error(in: "{cluster: 'a', nodes: [\(half)]}").problem.contains(#"has no "updates""#)
        )
        let unknown = Self.node.dropLast() + ", via: {n2: {request: ''}}}"
        #expect(
            try error(in: "{cluster: 'a', nodes: [\(unknown)]}").fix.hasPrefix(#"use "requests""#))
    }

    @Test func `names where a node listens`() throws {
        let node = Self.node.dropLast() + ",\n listen: '10.0.0.7'}"
        #expect(try read("{cluster: 'a', nodes: [\(node)]}").nodes[0].listen == "10.0.0.7")
        let wrong = Self.node.dropLast() + ",\n listen: '10.0.0.7:1'}"
        let error = try error(in: "{cluster: 'a', nodes: [\(wrong)]}")
        #expect(error.problem.contains(#":2: "listen" has "10.0.0.7:1", which is not an address"#))
    }

    @Test func `names a public key that is none`() throws {
        let node = Self.node.dropLast() + ",\n publicKey: 'short'}"
        let error = try error(in: "{cluster: 'a', nodes: [\(node)]}")
        #expect(error.problem.contains(#":2: "publicKey" has "short", which is not a public key"#))
    }

    @Test func `names an unknown key, its line, and the one that was meant`() throws {
        let error = try error(in: "{cluster: 'a',\n durabilty: 'commit',\n nodes: []}")
        #expect(error.problem == folder.file("cluster.json5") + #":2: unknown key "durabilty""#)
        #expect(error.fix.hasPrefix(#"use "durability""#))
    }

    @Test func `names missing keys and values of the wrong kind`() throws {
        let missing = try error(in: "{cluster: 'a', nodes: [{id: 'n1'}]}")
        #expect(missing.problem.contains(#"has no "client""#))
        let wrong = try error(in: "{cluster: 7, nodes: []}")
        #expect(wrong.problem.contains(#":1: "cluster" is not a string"#))
        let mode = try error(in: "{cluster: 'a',\ndurability: 'safe', nodes: []}")
        #expect(mode.problem.contains(#":2: "durability" cannot be "safe""#))
        #expect(mode.fix == "use commit, interval, memory")
    }

    @Test func `that is no JSON5 is named`() throws {
        let error = try error(in: "{cluster: 'a',\n nodes: [}")
        #expect(error.problem == folder.file("cluster.json5") + ":2:10: expected a value here")
    }

    @Test func `that is not there is named`() throws {
        let path = folder.file("none.json5")
        let error = try #require(throws: NodeError.self) {
            try NodeConfiguration(contentsOf: path)
        }
        #expect(error.problem.contains(path))
    }
}

@Suite struct `A cluster's description` {
    private static func member(_ id: String, _ port: Int, host: String = "127.0.0.1")
        -> NodeConfiguration.Member
    {
        NodeConfiguration.Member(
            id: id, client: "http://\(host):\(port)", requests: "tcp://\(host):\(port + 1)",
            updates: "tcp://\(host):\(port + 2)")
    }

    private func problem(_ nodes: [NodeConfiguration.Member]) throws -> String {
        try error(nodes).problem
    }

    private func error(_ nodes: [NodeConfiguration.Member]) throws -> NodeError {
        let configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        return try #require(throws: NodeError.self) {
            try configuration.check(for: .loopback)
        }
    }

    @Test func `has nodes with plain names and endpoints of their own`() throws {
        #expect(try problem([]).contains("no nodes"))
        #expect(try problem([Self.member("a b", 1)]).contains("\"a b\" cannot name a node"))
        #expect(try problem([Self.member("a", 1), Self.member("a", 9)]).contains("two nodes"))
        let overlapping = try problem([Self.member("a", 1), Self.member("b", 3)])
        #expect(overlapping == "nodes a and b share the endpoint http://127.0.0.1:3")
    }

    @Test func `has addresses of two schemes that do not share a port`() throws {
        var other = Self.member("b", 11)
        other.requests = "tcp://127.0.0.1:1"
        #expect(try problem([Self.member("a", 1), other]).hasPrefix("nodes a and b share"))
    }

    @Test func `says what to write in place of an address of earlier versions`() throws {
        var node = Self.member("a", 1)
        node.client = "tcp://127.0.0.1:1"
        let error = try error([node])
        #expect(
            error.problem == #""client" of node a is not a http:// address: "tcp://127.0.0.1:1""#)
        #expect(error.fix.hasPrefix("write http://127.0.0.1:1: programs connect"))
    }

    @Test func `has clients over https where there is a certificate, and only there`() throws {
        var nodes = [Self.member("a", 1), Self.member("b", 11)]
        var configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        configuration.http.files = HTTPSettings.CertificateFiles(certificate: "c", key: "k")
        func error() throws -> NodeError {
            configuration.nodes = nodes
            return try #require(throws: NodeError.self) { try configuration.check(for: .loopback) }
        }
        #expect(try error().fix == #"write https://127.0.0.1:1: "http" has a certificate"#)
        let pin = "#sha256=" + String(repeating: "0f", count: 32)
        nodes[0].client = "https://127.0.0.1:1" + pin
        nodes[1].client = "https://127.0.0.1:11#sha256=0f"
        #expect(try error().problem.contains(#""client" of node b is not a https:// address"#))
        nodes[1].client = "https://127.0.0.1:1"
        #expect(try error().problem.hasPrefix("nodes a and b share the endpoint"))
        nodes[1].client = "https://10.0.0.1:11" + pin
        #expect(try error().problem.contains("can be reached from the network"))
        nodes[1].client = "https://127.0.0.1:11" + pin
        configuration.nodes = nodes
        try configuration.check(for: .loopback)
        configuration.http.files = nil
        #expect(try error().fix.hasPrefix("write http://127.0.0.1:1"))
    }

    @Test(arguments: ["*", "256.0.0.1", "127.0.0", "-a", "a-.test", "a..b", "a b", "", "ä", "7"])
    func `has hosts that are names or addresses`(host: String) throws {
        #expect(try problem([Self.member("a", 1, host: host)]).contains("is not a http:// address"))
    }

    @Test func `has names that count as addresses on the network`() throws {
        for host in ["db1", "db1.example.com", "10.example", "a_b.test"] {
            let nodes = [Self.member("a", 1, host: host)]
            #expect(
                try problem(nodes).contains("can be reached from the network: http://\(host):1"))
            #expect(nodes[0].clientName == host)
            let open = NodeConfiguration(
                cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
            try open.check(for: .network)
        }
        let local = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere",
            nodes: [Self.member("a", 1, host: "localhost")])
        try local.check(for: .loopback)
    }

    @Test func `has nodes that listen at the addresses of their hosts, or at another`() {
        var node = Self.member("a", 1, host: "db1.example.com")
        #expect(node.listenHost(for: node.requests) == nil)
        node.listen = "127.0.0.1"
        #expect(node.listenHost(for: node.requests) == "127.0.0.1")
        let local = Self.member("a", 1, host: "localhost")
        #expect(local.listenHost(for: local.client) == "127.0.0.1")
        let numeric = Self.member("a", 1, host: "[::1]")
        #expect(numeric.listenHost(for: numeric.updates) == "[::1]")
    }

    @Test func `counts as reachable where its node listens`() throws {
        var node = Self.member("a", 1)
        node.listen = "0.0.0.0"
        #expect(try problem([node]).contains("can be reached from the network"))
        node.listen = "127.0.0.2"
        let configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: [node])
        try configuration.check(for: .loopback)
        // Requests of clients would leave this machine without TLS.
        node = Self.member("a", 1, host: "db1")
        node.listen = "127.0.0.1"
        #expect(try problem([node]).contains("can be reached from the network"))
    }

    /// Two nodes on two hosts, protected as the arguments say.
    private static func hosts(
        keys: Bool, certificate: Bool, secret: Bool, client: String = "10.0.0.1",
        others: String = "10.0.0.1"
    ) -> NodeConfiguration {
        var nodes = [member("a", 1, host: others), member("b", 11, host: others)]
        for index in nodes.indices {
            let scheme = certificate ? "https" : "http"
            nodes[index].client = "\(scheme)://\(client):\(1 + 10 * index)"
            if keys { nodes[index].publicKey = KeyPair.random().publicKey }
        }
        var configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        if certificate {
            configuration.http.files = HTTPSettings.CertificateFiles(certificate: "c", key: "k")
        }
        if secret { configuration.secrets = [[UInt8](repeating: 7, count: 32)] }
        return configuration
    }

    @Test func `can be reached from the network once all of it is protected`() throws {
        for bits in 0..<8 {
            let (keys, certificate, secret) = (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0)
            let configuration = Self.hosts(keys: keys, certificate: certificate, secret: secret)
            try configuration.check(for: .network)
            guard bits < 7 else {
                try configuration.check(for: .loopback)
                continue
            }
            let error = try #require(throws: NodeError.self) {
                try configuration.check(for: .loopback)
            }
            let isClient = !certificate || !secret
            #expect(error.problem.hasPrefix(isClient ? #""client" of node a"# : #""requests" of"#))
            #expect(error.fix.contains("keys certificate") == !certificate)
            #expect(error.fix.contains("keys secret") == (isClient && !secret))
            #expect(error.fix.contains("keys new") == !isClient)
            #expect(error.fix.contains("--insecure"))
        }
    }

    @Test func `protects programs and nodes each by itself`() throws {
        for (keys, client) in [(true, "127.0.0.1"), (false, "10.0.0.1")] {
            let others = keys ? "10.0.0.1" : "127.0.0.1"
            try Self.hosts(
                keys: keys, certificate: !keys, secret: !keys, client: client, others: others
            ).check(for: .loopback)
        }
        try Self.hosts(
            keys: true, certificate: true, secret: true, client: "127.0.0.1", others: "127.0.0.1"
        ).check(for: .loopback)
    }

    @Test func `has routes from other nodes, which stay on this machine or are encrypted`() throws {
        var nodes = [Self.member("a", 1), Self.member("b", 11)]
        let route = PeerRoute(requests: "tcp://127.0.0.1:22", updates: "tcp://127.0.0.1:23")
        for peer in ["a", "c"] {
            nodes[0].routes = [peer: route]
            let error = try error(nodes)
            #expect(
                error.problem == #""via" of node a has "\#(peer)", which is not another node"#)
            #expect(error.fix == "use one of b")
        }
        nodes[0].routes = ["b": PeerRoute(requests: route.requests, updates: "tcp://*:1")]
        #expect(
            try problem(nodes)
                == #""updates" of node a via b is not a tcp:// address: "tcp://*:1""#
        )
        nodes[0].routes = ["b": PeerRoute(requests: "tcp://10.0.0.1:1", updates: route.updates)]
        #expect(try problem(nodes).contains("leaves this machine unencrypted: tcp://10.0.0.1:1"))
        var configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        try configuration.check(for: .network)
        for index in nodes.indices {
            configuration.nodes[index].publicKey = KeyPair.random().publicKey
        }
        try configuration.check(for: .loopback)
        nodes[0].routes = ["b": route]
        configuration.nodes = nodes
        try configuration.check(for: .loopback)
    }

    @Test func `has keys for all nodes or for none`() throws {
        var nodes = [Self.member("a", 1), Self.member("b", 11)]
        nodes[0].publicKey = KeyPair.random().publicKey
        #expect(try problem(nodes).contains("node b has no \"publicKey\""))
    }

    @Test func `stays on this machine unless asked otherwise`() throws {
        let nodes = [Self.member("a", 1, host: "10.0.0.1")]
        #expect(try problem(nodes).contains("can be reached from the network"))
        let configuration = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        try configuration.check(for: .network)
    }
}

import ClusterConfiguration
import Foundation
import Testing

@testable import ClusterAdministration

@Suite struct `The file of a cluster's folder` {
    @Test func `is read as it was written`() throws {
        let folder = try TemporaryFolder()
        var file = ClusterFile(nodeCount: 2, basePort: 7001, durability: "commit")
        file.nodes[0].routes["n2"] = PeerRoute(
            requests: "tcp://127.0.0.1:7101", updates: "tcp://127.0.0.1:7102")
        file.nodes[1].listen = "127.0.0.2"
        #expect(file.nodes.map(\.client) == ["http://127.0.0.1:7001", "http://127.0.0.1:7011"])
        try Data(file.json).write(to: URL(fileURLWithPath: folder.path + "/" + ClusterFile.name))
        #expect(try ClusterFile(inFolder: folder.path) == file)
        #expect(file.basePort == 7001)
    }

    @Test func `may name a taken port, which the remedy also finds for an outgoing connection`() {
        let low = Cluster.takenPort(7_002, of: "n1")
        #expect(low.problem == "port 7002, which n1 needs, is taken")
        #expect(
            low.fix
                == "stop the program that has it (`ss -tanp sport = :7002` names it), or choose another --base-port"
        )
        let high = Cluster.takenPort(35_110, of: "n2")
        #expect(high.fix.hasSuffix("for outgoing connections, so choose one below"))
    }

    @Test func `keeps what a user has added`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + ClusterFile.name
        let text = """
            {
                // Comments are lost once the file is written.
                cluster: "c", durability: "commit", indexMegabytes: 7,
                nodes: [{id: "n1", client: "http://127.0.0.1:7001", requests: "tcp://127.0.0.1:7002",
                         updates: "tcp://127.0.0.1:7003", public: "db.example.com"}],
                tokens: {issuers: [{secrets: ["s"], admin: "admin", maxAgeSeconds: 86400}]},
                http: {origins: ["https://a.example.com"]}, indexOn: {"/rooms/$id": ["a/b", ".value"]},
            }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let configuration = try NodeConfiguration(contentsOf: path)
        var file = try ClusterFile(inFolder: folder.path)
        file.nodes.append(ClusterFile.Node(id: "n2", portsFrom: 7011))
        file.permit(["https://b.example.com", "https://a.example.com"])
        try Data(file.json).write(to: URL(fileURLWithPath: path))
        #expect(try ClusterFile(inFolder: folder.path) == file)
        var expected = configuration
        expected.http.origins.append("https://b.example.com")
        expected.nodes = file.nodes
        #expect(try NodeConfiguration(contentsOf: path) == expected)
        #expect(file.nodes[0].publicHost == "db.example.com")
        #expect(file.origins == ["https://a.example.com", "https://b.example.com"])
    }

    @Test func `makes an emulator of a cluster that says nothing of clients`() throws {
        var file = ClusterFile(nodeCount: 1, basePort: 7001, durability: "commit")
        file.becomeEmulator()
        #expect(file.isEmulator)
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + ClusterFile.name
        try Data(file.json).write(to: URL(fileURLWithPath: path))
        let configuration = try NodeConfiguration(contentsOf: path)
        #expect(configuration.isEmulator && configuration.tokens.unsignedTokens)
    }

    @Test(arguments: [
        ("emulator", Setting.boolean(false)), ("tokens", .object([:])), ("secrets", .list([])),
    ])
    func `makes no emulator of a cluster with access settings`(name: String, value: Setting) {
        var file = ClusterFile(nodeCount: 1, basePort: 7001, durability: "commit")
        file.settings[name] = value
        file.becomeEmulator()
        #expect(!file.isEmulator)
    }

    @Test func `makes no emulator of a cluster that other machines can reach`() {
        var file = ClusterFile(nodeCount: 1, basePort: 7001, durability: "commit")
        file.nodes[0].client = "http://10.0.0.1:7001"
        file.becomeEmulator()
        #expect(!file.isEmulator)
    }

    @Test func `knows the port of a node with a fingerprint`() {
        var file = ClusterFile(nodeCount: 1, basePort: 7001, durability: "commit")
        file.nodes[0].client = "https://127.0.0.1:7001#sha256=AbC"
        #expect(file.basePort == 7001)
    }

    @Test
    func `has the addresses of programs as they are now, also where earlier versions wrote it`()
        throws
    {
        let folder = try TemporaryFolder()
        let file = ClusterFile(nodeCount: 2, basePort: 7001, durability: "commit")
        let earlier = String(decoding: file.json, as: UTF8.self)
            .replacing("http://", with: "tcp://")
        try Data(earlier.utf8).write(
            to: URL(fileURLWithPath: folder.path + "/" + ClusterFile.name))
        #expect(try ClusterFile(inFolder: folder.path) == file)
    }
}

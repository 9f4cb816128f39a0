import Foundation
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// Nodes with keys, as processes.
@Suite(.serialized, .timeLimit(.minutes(1))) struct `A cluster with keys` {
    private let folder: TemporaryFolder
    private let configuration: String
    private let nodes: [Program]

    init() throws {
        folder = try TemporaryFolder()
        var keys: [String: PublicKey] = [:]
        for name in ["n1", "n2", "ada", "eve"] {
            let pair = KeyPair.random()
            keys[name] = pair.publicKey
            try KeyFile(folder.file(name + ".key")).write(pair)
        }
        let file = ClusterFile(
            nodeCount: 2, basePort: try TestCluster.freePorts(), durability: "commit")
        let members = file.nodes.map { node in
            """
            {id: "\(node.id)", client: "tcp\(node.client.dropFirst(4))", requests: "\(node.requests)",
             updates: "\(node.updates)", publicKey: "\(keys[node.id]!)"}
            """
        }.joined(separator: ", ")
        let path = try folder.write(
            "{cluster: 'k', nodes: [\(members)], clientKeys: ['\(keys["ada"]!)']}",
            to: "cluster.json5")
        configuration = path
        nodes = try file.nodes.map { [folder] node in
            try Program.hearth(
                "node", "--config", path, "--id", node.id, "--key", folder.file(node.id + ".key"))
        }
        for node in nodes {
            try eventually("the nodes hear each other") { node.errors.contains("has contact with") }
        }
    }

    private func get(_ node: String, as name: String?) throws -> Program.Outcome {
        var words = ["get", "/a", "--config", configuration, "--node", node, "--timeout", "1"]
        if let name { words += ["--key", folder.file(name + ".key")] }
        return try Program(Program.hearthPath, words).end()
    }

    @Test func `replicates, and lets in whom it knows and nobody else`() throws {
        defer { for node in nodes { node.terminate() } }
        let set = try Program.hearth(
            "set", "/a", "1", "--config", configuration, "--node", "n1", "--key",
            folder.file("ada.key")
        ).end()
        #expect(set.status == 0, "\(set.errors)")
        try eventually("n2 has it") { try get("n2", as: "ada").output == "1\n" }
        #expect(try get("n2", as: "n1").output == "1\n", "a node's key opens too")
        for unknownPeer in ["eve", nil] {
            let refused = try get("n2", as: unknownPeer)
            #expect(refused.status == 69 && refused.output.isEmpty)
        }
    }
}

package import ClusterConfiguration
package import CommandLineKit
internal import DataTree
internal import Glibc
internal import JSONText

/// The file that `hearth cluster up` writes into its folder for other commands: `cluster.json`.
///
///     {"cluster": "demo", "durability": "commit",
///      "nodes": [{"id": "n1", "client": "http://127.0.0.1:7001",
///                 "requests": "tcp://127.0.0.1:7002", "updates": "tcp://127.0.0.1:7003"}],
///      "emulator": true}
///
/// Users may add all that a configuration has; commands that write the file keep it.
package struct ClusterFile: Equatable, Sendable {
    package typealias Node = NodeConfiguration.Member

    package static let name = "cluster.json"

    package var cluster: String
    package var durability: String
    package var nodes: [Node]
    /// The other settings in the file, by the names of its members.
    package var settings: [String: Setting] = [:]
}

// MARK: - JSON

extension ClusterFile {
    /// Reads the file of a cluster's folder.
    ///
    /// - Throws: `.unavailable` if there is none, `.badData` if it is not what `cluster up` writes.
    package init(inFolder folder: String) throws(CommandError) {
        let file = folder + "/" + ClusterFile.name
        guard access(file, R_OK) == 0 else {
            throw CommandError(
                .unavailable, "no cluster in \(folder): \(file) cannot be read",
                fix: "start one with `hearth cluster up --dir \(folder)`, "
                    + "or name a node with --node http://HOST:PORT")
        }
        do throws(NodeError) {
            self.init(try NodeConfiguration(contentsOf: file))
            settings = try Setting.members(ofFile: file).filter {
                !ClusterFile.own.contains($0.key)
            }
        } catch {
            throw CommandError(
                .badData, error.problem,
                fix: "start the cluster anew with `hearth cluster up`, which writes the file")
        }
    }

    /// The nodes of a configuration.
    package init(_ configuration: NodeConfiguration) {
        cluster = configuration.cluster
        durability = configuration.durability.rawValue
        nodes = configuration.nodes
        if configuration.isEmulator { settings["emulator"] = .boolean(true) }
        // Versions up to 0.3 wrote where ZeroMQ took clients.
        for index in nodes.indices where nodes[index].publicKey == nil {
            let client = nodes[index].client
            if client.hasPrefix("tcp") { nodes[index].client = "http" + client.dropFirst(3) }
        }
    }

    package var json: [UInt8] {
        let list = nodes.enumerated().map { index, node in
            (
                String(index),
                Value.object(named: [
                    ("id", .string(node.id)), ("client", .string(node.client)),
                    ("requests", .string(node.requests)), ("updates", .string(node.updates)),
                    ("publicKey", .string(of: node.publicKey?.description)),
                    ("public", .string(of: node.publicHost)),
                    ("listen", .string(of: node.listen)),
                    ("via", ClusterFile.json(of: node.routes)),
                ])
            )
        }
        let value = Value.object(named: [
            ("cluster", .string(cluster)), ("durability", .string(durability)),
            ("nodes", .object(named: list)),
        ])
        var bytes = JSONWriter.bytes(of: value, layout: .pretty)
        if settings.isEmpty { return bytes + "\n".utf8 }
        // The text ends with the brace of the object, behind a line feed.
        bytes.removeLast(2)
        for (name, setting) in settings.sorted(by: { $0.key < $1.key }) {
            let text = "\(JSONWriter.text(of: .string(name))): \(setting.json)"
            bytes += ",\n  \(text.split(separator: "\n").joined(separator: "\n  "))".utf8
        }
        return bytes + "\n}\n".utf8
    }

    /// The members of the file that have properties of their own.
    private static let own = ["cluster", "durability", "nodes"]

    private static func json(of routes: [String: PeerRoute]) -> Value {
        .object(
            named: routes.sorted { $0.key < $1.key }.map { peer, route in
                let endpoints = [
                    ("requests", Value.string(route.requests)), ("updates", .string(route.updates)),
                ]
                return (peer, .object(named: endpoints))
            })
    }
}

extension Value {
    /// A string; null without one.
    fileprivate static func string(of text: String?) -> Value { text.map(Value.string) ?? .null }
}

extension ClusterFile {
    /// The node of that name.
    ///
    /// - Throws: a usage error that names the nodes there are.
    package func node(named id: String) throws(CommandError) -> Node {
        if let node = nodes.first(where: { $0.id == id }) { return node }
        let names = nodes.map(\.id).joined(separator: ", ")
        throw CommandError(
            .usage, "cluster \(cluster) has no node \"\(id)\"", fix: "name one of \(names)")
    }
}

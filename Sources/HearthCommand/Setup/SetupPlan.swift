internal import ClusterConfiguration
internal import DataTree
internal import JSONText
internal import Sockets
internal import TLS
internal import ZeroMQ

/// A new cluster, as `hearth setup` describes it.
struct SetupPlan {
    let cluster: String
    let nodes: [SetupNode]
    /// The folder for the new files.
    let folder: String
    /// Whether the ports for clients have TLS.
    let hasTLS: Bool
    /// Whether a key pair is made: a program signs tokens with the private key, and nodes have the public one.
    let hasTokens: Bool
    /// The folder for the data of the nodes, on their hosts.
    let data: String

    /// The file with the private key that signs tokens.
    static let signingKey = "signing.key"
    /// The folder with the public keys by which nodes check tokens.
    static let tokenKeys = "token-keys"

    /// Whether all nodes run on this machine, and only for programs on it.
    var isLocal: Bool { nodes.allSatisfy(\.isLoopback) }

    /// The hosts for which a certificate is made.
    var hosts: [String] {
        nodes.reduce(into: []) { hosts, node in
            if !hosts.contains(node.bareHost) { hosts.append(node.bareHost) }
        }
    }
}

/// The parts of the secret files that the configuration of a new cluster contains.
struct SetupKeys {
    /// The public keys of the nodes, in their order.
    let publicKeys: [PublicKey]
    /// The hash of the administrator's secret.
    let secretHash: [UInt8]
    /// The fingerprint of a certificate that no authority has signed.
    let fingerprint: [UInt8]?
}

extension SetupPlan {
    /// The configuration, as JSON5 with comments.
    func configuration(with keys: SetupKeys) -> String {
        var lines = [
            "// The configuration of the cluster, the same on every host. `hearth setup` wrote it.",
            "{",
            "    cluster: \(quoted(cluster)),", "    directory: \(quoted(data)),", "",
        ]
        if hasTLS {
            lines += [
                "    // The certificate of the ports for clients. The paths are relative to this file.",
                "    http: {certificate: \"certificate.pem\", key: \"certificate.key\"},", "",
            ]
        }
        lines += [
            "    // The hash of the administrator's secret.",
            "    secrets: [\(quoted(SHA256.text(of: keys.secretHash)))],", "",
        ]
        if hasTokens {
            lines += [
                "    // A program with \(Self.signingKey) signs tokens. No host needs it: nodes check tokens by the public keys in",
                "    // this folder. The claim \"admin\" makes administrators.",
                "    \(SigningPair.lines(issuer: cluster, keys: Self.tokenKeys))", "",
            ]
        }
        lines.append("    nodes: [")
        for (node, key) in zip(nodes, keys.publicKeys) { lines += self.lines(of: node, key, keys) }
        return (lines + ["    ],", "}", ""]).joined(separator: "\n")
    }

    private func lines(of node: SetupNode, _ key: PublicKey, _ keys: SetupKeys) -> [String] {
        [
            "        {", "            id: \(quoted(node.id)),",
            "            client: \(quoted(client(of: node, keys.fingerprint))),",
            "            requests: \(quoted("tcp://\(node.host):\(node.port + 1)")),",
            "            updates: \(quoted("tcp://\(node.host):\(node.port + 2)")),",
            "            publicKey: \(quoted(key.description)),", "        },",
        ]
    }

    /// The address of a node for clients.
    func client(of node: SetupNode, _ fingerprint: [UInt8]? = nil) -> String {
        "\(hasTLS ? "https" : "http")://\(node.host):\(node.port)"
            + (fingerprint.map(HTTPAddress.fragment(ofFingerprint:)) ?? "")
    }

    private func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }
}

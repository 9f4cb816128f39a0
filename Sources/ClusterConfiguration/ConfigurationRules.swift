internal import Sockets
public import ZeroMQ

// The conditions of a valid configuration, beyond its form.

extension NodeConfiguration {
    /// Checks names and endpoints.
    ///
    /// - Throws: what is wrong first, naming the node and the key.
    public func check(for exposure: Exposure) throws(NodeError) {
        guard !nodes.isEmpty else {
            throw NodeError(
                problem: "the cluster \(cluster) has no nodes",
                fix: #"list them in "nodes", as in configs/three-nodes.json5"#)
        }
        try checkKeys()
        try checkUnsignedTokens()
        try checkMonitors()
        var taken: [String: String] = [:]
        for node in nodes {
            try NodeConfiguration.Member.check(name: node.id)
            guard taken.updateValue(node.id, forKey: node.id) == nil else {
                throw NodeError(
                    problem: "two nodes have the id \(node.id)", fix: "give each its own id")
            }
            for (key, endpoint) in zip(Member.keys, node.endpoints) {
                let address = try node.address(endpoint, of: key, scheme: scheme(of: key))
                if exposure == .loopback, !node.isLoopback(address) {
                    try checkProtection(of: key, node)
                }
                // Two schemes do not share a port either.
                let place = String(endpoint.drop { $0 != "/" }.prefix { $0 != "#" })
                guard let other = taken.updateValue(node.id, forKey: place) else { continue }
                throw NodeError(
                    problem: "nodes \(other) and \(node.id) share the endpoint \(endpoint)",
                    fix: #"change "\#(key)" of \#(node.id)"#)
            }
            try checkRoutes(to: node, for: exposure)
        }
    }
}

extension NodeConfiguration {
    /// How the endpoint of a node begins.
    private func scheme(of key: String) -> String {
        if key != "client" { return "tcp" }
        return http.files == nil ? "http" : "https"
    }

    /// Checks that endpoints on the network are encrypted and authenticated: nodes by their keys, and programs by
    /// an administrator's secret or a token.
    ///
    /// Rules alone are no protection. A node may not have them yet, and without secrets and tokens each client is
    /// an administrator.
    private func checkProtection(of key: String, _ node: Member) throws(NodeError) {
        var missing: [String] = []
        if key != "client" {
            if !hasKeys { missing = ["give all nodes keys (`hearth keys new`)"] }
        } else {
            if http.files == nil {
                missing.append("give the nodes a certificate (`hearth keys certificate`)")
            }
            if secrets.isEmpty, tokens.isEmpty {
                missing.append(
                    "list the hash of an administrator's secret in \"secrets\" (`hearth keys secret`), or the issuers of \"tokens\""
                )
            }
        }
        guard !missing.isEmpty else { return }
        let endpoint = node.endpoint(of: key)
        throw NodeError(
            problem:
                #""\#(key)" of node \#(node.id) can be reached from the network: \#(endpoint)"#,
            fix: missing.joined(separator: " and ")
                + "; or use 127.0.0.1; or start with --insecure if everyone who can reach that address may read and "
                + "write everything")
    }

    /// Unsigned tokens are for tests on the machine of the nodes, whatever else is permitted.
    private func checkUnsignedTokens() throws(NodeError) {
        guard tokens.unsignedTokens else { return }
        let setting = isEmulator ? "emulator" : "unsignedTokens"
        for node in nodes {
            for (key, endpoint) in zip(Member.keys, node.endpoints) {
                let address = try node.address(endpoint, of: key, scheme: scheme(of: key))
                if node.isLoopback(address) { continue }
                throw NodeError(
                    problem:
                        #""\#(setting)" lets every client choose its identity, and "\#(key)" of node \#(node.id) can be reached from the network: \#(endpoint)"#,
                    fix: "omit \"\(setting)\", or use 127.0.0.1 for all addresses")
            }
        }
    }

    /// Monitors' secrets restrict nothing in a cluster whose clients are all administrators, or where two roles share a secret.
    private func checkMonitors() throws(NodeError) {
        if monitorSecrets.isEmpty { return }
        guard !secrets.isEmpty || !tokens.isEmpty else {
            throw NodeError(
                problem:
                    "the cluster has \"monitorSecrets\", and neither \"secrets\" nor \"tokens\": every client is an administrator",
                fix: "list an administrator's secret in \"secrets\" (`hearth keys secret`)")
        }
        guard !monitorSecrets.contains(where: secrets.contains) else {
            throw NodeError(
                problem: "a hash is in \"secrets\" and in \"monitorSecrets\"",
                fix: "create another secret for monitors (`hearth keys monitor-secret`)")
        }
    }

    /// All nodes have keys, or none.
    private func checkKeys() throws(NodeError) {
        if let bare = nodes.first(where: { $0.publicKey == nil }), hasKeys {
            throw NodeError(
                problem: "node \(bare.id) has no \"publicKey\", and others have one",
                fix: "create its key with `hearth keys new \(bare.id)`")
        }
    }

    /// Checks that a node was started with the key of its `publicKey`.
    public func check(_ keys: KeyPair?, of member: Member) throws(NodeError) {
        if keys?.publicKey == member.publicKey { return }
        guard let publicKey = member.publicKey else {
            throw NodeError(
                problem: "node \(member.id) was started with a key and has no \"publicKey\"",
                fix: "give all nodes of the cluster a \"publicKey\", or start it without --key")
        }
        throw NodeError(
            problem: keys == nil
                ? "node \(member.id) needs its secret key, because it has a \"publicKey\""
                : "the key is not that of node \(member.id), \(publicKey)",
            fix: "start it with `--key FILE`, the file that `hearth keys new \(member.id)` created")
    }
}

extension NodeConfiguration.Member {
    static let keys = ["client", "requests", "updates"]

    /// Checks that a node may have this name.
    ///
    /// - Throws: which names it may have.
    public static func check(name id: String) throws(NodeError) {
        let isPlain = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...32).contains(id.utf8.count) else {
            throw NodeError(
                problem: "\"\(id)\" cannot name a node",
                fix: "use 1 to 32 letters, digits, - and _, such as n1")
        }
    }

    fileprivate func endpoint(of key: String) -> String {
        zip(NodeConfiguration.Member.keys, endpoints).first { $0.0 == key }?.1 ?? ""
    }

    /// Whether only this machine reaches the node at one of its addresses.
    fileprivate func isLoopback(_ address: Address) -> Bool {
        address.isLoopback && (listen.map(Address.isLoopback) ?? true)
    }

    fileprivate func address(
        _ endpoint: String, of key: String, scheme: String
    ) throws(NodeError) -> Address {
        if let address = Address(endpoint, scheme: scheme) { return address }
        throw NodeError(
            problem: #""\#(key)" of node \#(id) is not a \#(scheme):// address: "\#(endpoint)""#,
            fix: fix(for: endpoint, scheme: scheme))
    }
}

extension NodeConfiguration.Member {
    /// The correct form, with the endpoint's own host and port if these are valid.
    private func fix(for endpoint: String, scheme: String) -> String {
        let others = ["tcp", "http", "https"].filter { $0 != scheme }
        guard let other = others.first(where: { Address(endpoint, scheme: $0) != nil }) else {
            return "write \(scheme)://HOST:PORT, such as \(scheme)://127.0.0.1:7400"
        }
        let reason =
            switch scheme {
            case "http": "programs connect to nodes without a certificate over HTTP"
            case "https": "\"http\" has a certificate"
            default: "nodes reach each other over tcp://"
            }
        return "write \(scheme)\(endpoint.dropFirst(other.count)): \(reason)"
    }
}

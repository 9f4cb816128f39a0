internal import ClientConnection
internal import ClientCore
internal import ClusterConfiguration
package import CommandLineKit
package import Sockets
package import SyncProtocol
package import TLS

/// The options by which every verb names the nodes that it talks to.
package enum NodeOptions {
    package static let node = Option(
        "node", "NODE",
        "A node to connect to: its name in the cluster of --config or --dir (n2), or its "
            + "address (http://127.0.0.1:7001, or https://10.0.0.1:7001#sha256=FINGERPRINT with a "
            + "certificate). localhost:7001 and 127.0.0.1 mean http:// and the port 7001. May be "
            + "repeated: if one does not answer, the next one is tried. By default all nodes of the "
            + "cluster are tried.", values: .node
    )
    .common
    package static let folder = Option(
        "dir", "DIR",
        "The folder of a cluster of `hearth cluster up`; by default HEARTH_DIR of the "
            + "environment, or .hearth.", values: .folder
    )
    .common
    package static let configuration = Option(
        "config", "FILE",
        "The configuration file of a cluster on several hosts; by default HEARTH_CONFIG of the environment, unless "
            + "--dir is given.", values: .file
    )
    .common
    package static let secret = Option(
        "secret", "FILE",
        "A file with an administrator's secret (`hearth keys secret`), if the cluster has "
            + "secrets; by default HEARTH_SECRET_FILE of the environment.", values: .file
    )
    .common

    package static let database = Option(
        "database", "NAME",
        "The database of the cluster to use (`hearth database list`); by default HEARTH_DATABASE of "
            + "the environment, or the default database."
    )
    .common

    package static let token = Option(
        "token", "TOKEN",
        "A token, or a file with one (`hearth token new`), that says which user you are; by "
            + "default HEARTH_TOKEN of the environment.", values: .file
    )
    .common

    package static let authority = Option(
        "ca", "FILE",
        "A PEM file with the authority that signed the certificates of the nodes, if the system "
            + "does not trust it; by default HEARTH_CA_FILE of the environment. A fingerprint in "
            + "an address counts instead.", values: .file
    )
    .common

    /// The file with the authority that the command line or the environment names.
    package static func authorityFile(of invocation: Invocation) -> String? {
        invocation[authority] ?? environment("HEARTH_CA_FILE")
    }

    /// For commands that start a cluster.
    package static let durability = Option(
        "durability", "MODE",
        "When a write counts as done: commit (on disk), interval (on disk within a second) or "
            + "memory (never on disk); commit by default.",
        values: .oneOf(["commit", "interval", "memory"]))

    package static let all = [node, folder, configuration, database, secret, token, authority]

    /// The configuration file that the command line or the environment names; nil if the command uses a folder.
    package static func configurationFile(of invocation: Invocation) -> String? {
        if let file = invocation[configuration] { return file }
        return invocation[folder] == nil ? environment("HEARTH_CONFIG") : nil
    }

    /// The folder that the command line, the environment or the default names.
    package static func folder(of invocation: Invocation) -> String {
        invocation[folder] ?? environment("HEARTH_DIR") ?? ".hearth"
    }

    /// Returns the user's credential from the command line or the environment: a token, or a secret in a file.
    package static func secret(of invocation: Invocation) throws(CommandError) -> Secret? {
        if let text = invocation[token] {
            guard invocation[secret] == nil else {
                throw invocation.usageError(
                    "--\(token.name) and --\(secret.name) are both given",
                    fix: "use one of them")
            }
            return try secret(inToken: text)
        }
        if invocation[secret] == nil, let text = environment("HEARTH_TOKEN") {
            return try secret(inToken: text)
        }
        return try secret(inFile: secretFile(of: invocation), .administratorSecret)
            ?? emulatorOwner(for: invocation)
    }

    /// The credential of an administrator of the cluster that a command names, if that is an emulator; nil if the command names
    /// nodes that do not belong to the cluster.
    private static func emulatorOwner(for invocation: Invocation) -> Secret? {
        guard let cluster = try? namedCluster(of: invocation), cluster.isEmulator else {
            return nil
        }
        let own = cluster.nodes.map { (try? HTTPAddress(node: $0.client))?.authority }
        let isOwn = invocation.values(of: node).allSatisfy { name in
            guard name.contains("://") else { return true }
            guard let address = try? HTTPAddress(node: name) else { return false }
            return own.contains(address.authority)
        }
        return isOwn ? .owner : nil
    }

    private static func secret(inToken word: String) throws(CommandError) -> Secret? {
        if word == Secret.owner.text { return .owner }
        guard Secret.isToken(word) else { return try secret(inFile: word, .token) }
        if let secret = Secret(word) { return secret }
        throw CommandError(
            .usage, "the token is too long, or has characters that no token has",
            fix: "create one with `hearth token new`")
    }

    static func secretFile(of invocation: Invocation) -> String? {
        invocation[secret] ?? environment("HEARTH_SECRET_FILE")
    }

    /// The secret or the token in a file; nil without a file.
    static func secret(
        inFile file: String?, _ kind: SecretFile.Kind
    ) throws(CommandError) -> Secret? {
        guard let file else { return nil }
        do throws(TLSError) {
            return try SecretFile(file, kind).read()
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }

    /// The database that a command uses.
    package static func database(of invocation: Invocation) throws(CommandError) -> DatabaseName {
        try namedDatabase(of: invocation) ?? .default
    }

    /// The database that the command line or the environment names, also the default one. Nil without a name.
    package static func namedDatabase(of invocation: Invocation) throws(CommandError)
        -> DatabaseName?
    {
        let given = invocation[database]
        guard let text = given ?? environment("HEARTH_DATABASE"), !text.isEmpty else {
            return nil
        }
        if let name = DatabaseName(anyCase: text) { return name }
        throw CommandError(
            .usage,
            "\(given == nil ? "HEARTH_DATABASE" : "--\(database.name)"): \(text) is not the name of a "
                + "database",
            fix:
                "use 1 to \(DatabaseName.longest) characters of a-z, 0-9 and -, not beginning with -"
        )
    }

    /// The addresses to connect to, in order, with the database to use there; at least one.
    ///
    /// - Throws: as `addresses(of:)`.
    static func databaseAddresses(of invocation: Invocation) throws(CommandError) -> [String] {
        let database = try namedDatabase(of: invocation)
        return try addresses(of: invocation).map { NodeAddress.text($0, database) }
    }

    /// The addresses to try, in order; at least one.
    ///
    /// - Throws: when a name must be looked up and there is no such cluster or node.
    package static func addresses(of invocation: Invocation) throws(CommandError) -> [String] {
        let names = invocation.values(of: node)
        if names.isEmpty {
            return try nodes(of: invocation).map(\.address)
        }
        var addresses: [String] = []
        for name in names {
            addresses.append(try address(of: name, invocation))
        }
        return addresses
    }

    /// The names of the cluster's nodes by their addresses, as far as they can be looked up.
    static func namesByAddress(of invocation: Invocation) -> [String: String] {
        let nodes = (try? nodes(of: invocation)) ?? []
        let database = try? namedDatabase(of: invocation)
        return Dictionary(nodes.map { (NodeAddress.text($0.address, database), $0.id) }) {
            first, _ in first
        }
    }

    /// The names of the nodes of the cluster that the command line, the environment or the default names.
    package static func names(for invocation: Invocation) throws(CommandError) -> [String] {
        try nodes(of: invocation).map(\.id)
    }

    /// Where to ask, in order; at least one.
    ///
    /// - Throws: as `addresses(of:)`.
    package static func servers(of invocation: Invocation) throws(CommandError) -> [HTTPAddress] {
        try addresses(of: invocation).map { text throws(CommandError) in
            do throws(HearthError) {
                return try HTTPAddress(node: text)
            } catch {
                throw CommandError(.usage, error.problem, fix: error.fix)
            }
        }
    }

    /// The names and addresses of the cluster's nodes.
    private static func nodes(
        of invocation: Invocation
    ) throws(CommandError) -> [(id: String, address: String)] {
        let authority = authorityFile(of: invocation)
        return try namedCluster(of: invocation).nodes.map { node in
            let address = HTTPAddress(node.client)?.trusting(authoritiesIn: authority)
            return (node.id, address?.description ?? node.client)
        }
    }

    private static func namedCluster(
        of invocation: Invocation
    ) throws(CommandError) -> ClusterFile {
        guard let file = configurationFile(of: invocation) else {
            return try ClusterFile(inFolder: folder(of: invocation))
        }
        return ClusterFile(try NodeConfiguration(named: file))
    }

    private static func address(
        of name: String, _ invocation: Invocation
    ) throws(CommandError) -> String {
        if name.contains("://") { return try checked(name, invocation) }
        // A name with a point or a colon is a host, unless the cluster has a node of that name.
        let host = hostAddress(name)
        if let host, (try? nodes(of: invocation).contains { $0.id == name }) != true {
            return try checked(host, invocation)
        }
        let nodes = try nodes(of: invocation)
        if let node = nodes.first(where: { $0.id == name }) { return node.address }
        throw CommandError(
            .usage, "the cluster has no node \"\(name)\"",
            fix: "name one of \(nodes.map(\.id).joined(separator: ", "))")
    }

    /// The address of a host without a scheme, such as `localhost:7301` or `127.0.0.1`. A missing port is that of a
    /// first node. Nil for a word that cannot be a host.
    static func hostAddress(_ word: String) -> String? {
        guard word == "localhost" || word.contains(where: { ".:".contains($0) }) else { return nil }
        let end = word.lastIndex(of: "]") ?? word.startIndex
        return "http://\(word)" + (word[end...].contains(":") ? "" : ":7001")
    }

    /// Checks the form of an address: a malformed one would only seem to be unreachable.
    private static func checked(
        _ text: String, _ invocation: Invocation
    ) throws(CommandError) -> String {
        do throws(HearthError) {
            return try HTTPAddress(node: text)
                .trusting(authoritiesIn: authorityFile(of: invocation)).description
        } catch {
            throw invocation.usageError("--\(node.name): \(error.problem)", fix: error.fix)
        }
    }
}

extension StatusProbe {
    /// Shows the secret, and uses the database, that the command line or the environment names.
    package init(for invocation: Invocation) throws(CommandError) {
        self.init(
            showing: try NodeOptions.secret(of: invocation),
            of: try NodeOptions.namedDatabase(of: invocation))
    }
}

extension NodeConfiguration {
    /// Reads the file that an option names.
    init(named file: String) throws(CommandError) {
        do throws(NodeError) { try self.init(contentsOf: file) } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }
}

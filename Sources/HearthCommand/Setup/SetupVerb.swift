internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import TLS

extension Verb {
    /// `hearth setup`: writes all files of a new cluster.
    static let setup = Verb(
        "setup",
        "Writes the configuration, keys, certificate and secret of a new cluster on several "
            + "hosts, and prints the commands that start it. Asks for the hosts on a terminal, "
            + "unless --nodes is given. Overwrites nothing.",
        options: [
            SetupVerb.nodes, SetupVerb.out, SetupVerb.cluster, SetupVerb.data, SetupVerb.tls,
            SetupVerb.certificate, SetupVerb.key, SetupVerb.tokens, SetupVerb.json,
            NodeOptions.authority,
        ],
        examples: [
            "hearth setup",
            "hearth setup --nodes db1.example.com,db2.example.com,db3.example.com --out cluster",
            "hearth setup --nodes 127.0.0.1,127.0.0.1,127.0.0.1 --out local --tls --tokens",
            "hearth setup --nodes db1.example.com --certificate fullchain.pem --certificate-key privkey.pem",
        ], work: SetupVerb.run)
}

private enum SetupVerb {
    static let nodes = Option(
        "nodes", "HOSTS",
        "The hosts of the nodes, separated by commas: names or addresses. NAME=HOST:PORT also gives "
            + "a node's name and the first of its three ports, otherwise n1, n2, … and 7001.")
    static let out = Option(
        "out", "DIR", "The folder for the new files; cluster by default.", values: .folder)
    static let cluster = Option(
        "cluster", "NAME", "The name of the cluster; by default that of the folder.")
    static let data = Option(
        "data", "DIR",
        "The folder for the data on each host; /var/lib/hearth by default, or data beside the "
            + "configuration for nodes of this machine.")
    static let tls = Option(
        flag: "tls", "Use TLS also for nodes that only this machine reaches.")
    static let certificate = Option(
        "certificate", "FILE",
        "A PEM file with a certificate that an authority signed for all hosts, and those that lead "
            + "to the authority. By default a certificate is made, which clients know by its "
            + "fingerprint.", values: .file)
    static let key = Option(
        "certificate-key", "FILE", "The private key of --certificate, in PEM.", values: .file)
    static let tokens = Option(
        flag: "tokens",
        "Make a key pair, too: a program with the private key signs tokens of users (`hearth token "
            + "new`), and the hosts have the public key alone.")
    static let json = Option(flag: "json", "Print the result as one JSON object.")

    @Sendable static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let own = try ownCertificate(of: invocation)
        let plan = try plan(for: invocation, hasCertificate: own != nil)
        try SetupFiles.write(plan, certificate: own)
        try check(plan)
        let instructions = SetupInstructions(
            plan: plan, authority: own == nil ? nil : NodeOptions.authorityFile(of: invocation))
        StandardOutput.shared.print(
            invocation.has(json) ? instructions.json : instructions.text)
        return .success
    }

    private static func plan(
        for invocation: Invocation, hasCertificate: Bool
    ) throws(CommandError) -> SetupPlan {
        let answers = try SetupAnswers(
            invocation, hosts: invocation[nodes], folder: invocation[out],
            tokens: invocation.has(tokens))
        let isLocal = answers.nodes.allSatisfy(\.isLoopback)
        let name = answers.folder.split(separator: "/").last.map(String.init) ?? "cluster"
        let plan = SetupPlan(
            cluster: invocation[cluster] ?? name, nodes: answers.nodes, folder: answers.folder,
            hasTLS: !isLocal || hasCertificate || invocation.has(tls),
            hasTokens: answers.hasTokens,
            data: invocation[data] ?? (isLocal ? "data" : "/var/lib/hearth"))
        for host in plan.hosts where plan.hasTLS && !Certificate.isHost(host) && !hasCertificate {
            throw CommandError(
                .usage, "no certificate can be made for \(host), which has more than 64 characters",
                fix: "use a shorter name, or give a certificate by --certificate")
        }
        return plan
    }

    private static func ownCertificate(
        of invocation: Invocation
    ) throws(CommandError) -> SetupFiles.OwnCertificate? {
        switch (invocation[certificate], invocation[key]) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return SetupFiles.OwnCertificate(
                certificate: try text(of: certificate), key: try text(of: key))
        default:
            throw invocation.usageError(
                "--certificate and --certificate-key belong together", fix: "give both, or none")
        }
    }

    private static func text(of file: String) throws(CommandError) -> String {
        String(decoding: try InputFile(file).readAll(), as: UTF8.self)
    }

    /// Checks each node as its host will, and shows warnings about the certificate and unknown names.
    private static func check(_ plan: SetupPlan) throws(CommandError) {
        var shown: Set<String> = []
        for node in plan.nodes {
            let warnings: [NodeError]
            do throws(NodeError) {
                warnings = try NodeStart(
                    of: node.id, configurationFile: "\(plan.folder)/cluster.json5",
                    keyFile: "\(plan.folder)/\(node.id).key", exposure: .loopback
                ).warnings(of: node.id)
            } catch {
                throw CommandError(.misconfigured, error.problem, fix: error.fix)
            }
            for warning in warnings where shown.insert(warning.problem).inserted {
                Terminal.standardError.print("warning: \(warning.problem)\nfix: \(warning.fix)")
            }
        }
    }
}

/// The answers to the questions, by options or by the person at the terminal.
private struct SetupAnswers {
    private static let folder = "cluster"

    let nodes: [SetupNode]
    let folder: String
    let hasTokens: Bool

    /// Takes the options, and asks for the rest unless they name the hosts.
    init(
        _ invocation: Invocation, hosts: String?, folder: String?, tokens: Bool
    ) throws(CommandError) {
        guard let hosts else {
            try self.init(asking: invocation, folder: folder, tokens: tokens)
            return
        }
        self.init(
            nodes: try SetupNode.list(hosts), folder: folder ?? Self.folder, hasTokens: tokens)
    }

    private init(nodes: [SetupNode], folder: String, hasTokens: Bool) {
        (self.nodes, self.folder, self.hasTokens) = (nodes, folder, hasTokens)
    }

    private init(
        asking invocation: Invocation, folder: String?, tokens: Bool
    ) throws(CommandError) {
        guard Question.isPossible else {
            throw invocation.usageError(
                "\(invocation.name) needs the hosts of the nodes",
                fix: "write `hearth setup --nodes db1.example.com,db2.example.com,db3.example.com`")
        }
        Terminal.standardError.print(
            "The hosts of the nodes, by names or addresses. Three nodes keep a majority when one fails."
        )
        nodes = try Question("Hosts, separated by spaces:").ask(SetupNode.list)
        if let folder { self.folder = folder } else { self.folder = try Self.askForFolder() }
        if tokens { hasTokens = true } else { hasTokens = try Self.askForTokens() }
    }

    private static func askForFolder() throws(CommandError) -> String {
        try Question("Folder for the new files [\(folder)]:").ask { text throws(CommandError) in
            text.isEmpty ? folder : text
        }
    }

    private static func askForTokens() throws(CommandError) -> Bool {
        let question = Question("Will users sign in with tokens that your programs sign? [y/N]")
        return try question.ask { text throws(CommandError) in
            ["y", "yes"].contains(text.lowercased())
        }
    }
}

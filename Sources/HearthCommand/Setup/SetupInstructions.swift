internal import DataTree
internal import JSONText

/// The commands that start a new cluster and use it.
struct SetupInstructions {
    let plan: SetupPlan
    /// The file of the authority that signed the certificate; nil if clients need none.
    let authority: String?

    private static let configured = "/etc/hearth"

    /// The commands that start a node.
    func commands(for node: SetupNode) -> [String] {
        let (file, key) = ("\(folder)/cluster.json5", "\(folder)/\(node.id).key")
        if plan.isLocal { return ["hearth node --config \(file) --id \(node.id) --key \(key)"] }
        let files = ([file] + certificateFiles + tokenFiles + [key]).joined(separator: " ")
        let there = Self.configured
        let options = plan.hasTokens ? "-r " : ""
        let check =
            "runuser -u hearth -- hearth node --check --config \(there)/cluster.json5 --id \(node.id) --key \(there)/\(node.id).key"
        return [
            "scp \(options)\(files) \(node.host):\(there)/",
            "ssh \(node.bareHost) 'chown -R hearth: \(there) && \(check)'",
            "ssh \(node.bareHost) systemctl enable --now --no-block hearth@\(node.id)",
        ]
    }

    /// The commands that use the cluster from this machine.
    var use: [String] {
        let exports =
            ["export HEARTH_SECRET_FILE=\(folder)/admin.secret"]
            + (authority.map { ["export HEARTH_CA_FILE=\(shellWord($0))"] } ?? [])
        let file = "--config \(folder)/cluster.json5"
        let token = "hearth token new --uid alice \(file)"
        return exports + [
            "hearth cluster status \(file)", "hearth set /greeting '\"hello\"' \(file)",
            "hearth get /greeting \(file)",
        ] + (plan.hasTokens ? [token] : [])
    }

    private var folder: String { shellWord(plan.folder) }

    private var certificateFiles: [String] {
        plan.hasTLS ? ["\(folder)/certificate.pem", "\(folder)/certificate.key"] : []
    }

    private var tokenFiles: [String] {
        plan.hasTokens ? ["\(folder)/\(SetupPlan.tokenKeys)"] : []
    }

    private func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || "/._-".utf8.contains(byte)
        }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}

// MARK: - Forms

extension SetupInstructions {
    /// The text for people.
    var text: String {
        var lines = ["The files of the new cluster are in \(plan.folder):", ""]
        lines += files.map { name, use in
            "  " + name + String(repeating: " ", count: max(1, 18 - name.count)) + use
        }
        lines += [
            "",
            plan.isLocal
                ? "Start each node in a terminal of its own:"
                : "Install Hearth on each host. Then start the nodes from here:", "",
        ]
        for node in plan.nodes {
            if !plan.isLocal { lines.append("  # \(node.id) on \(node.bareHost)") }
            lines += commands(for: node).map { "  " + $0 }
        }
        lines += [
            "", "A new cluster serves once a node has contact with another. Use it from here:", "",
        ]
        return (lines + use.map { "  " + $0 }).joined(separator: "\n")
    }

    private var files: [(name: String, use: String)] {
        var files = [("cluster.json5", "the configuration, the same on every host")]
        if plan.hasTLS {
            files += [
                ("certificate.pem", "the certificate of the ports for clients"),
                ("certificate.key", "its private key"),
            ]
        }
        let keys = plan.nodes.map { ("\($0.id).key", "the key of \($0.id)") }
        let tokens = [
            (SetupPlan.tokenKeys, "the public keys by which nodes check tokens"),
            (SetupPlan.signingKey, "signs tokens of users; no host of a node needs it"),
        ]
        return files + keys + (plan.hasTokens ? tokens : []) + [
            ("admin.secret", "the administrator's secret; it stays on this machine")
        ]
    }

    /// The same for programs.
    var json: String {
        func list(_ values: [Value]) -> Value {
            .object(named: values.enumerated().map { (String($0), $1) })
        }
        let nodes = plan.nodes.map { node in
            Value.object(named: [
                ("id", .string(node.id)), ("client", .string(plan.client(of: node))),
                ("commands", list(commands(for: node).map(Value.string))),
            ])
        }
        return JSONWriter.text(
            of: .object(named: [
                ("cluster", .string(plan.cluster)), ("folder", .string(plan.folder)),
                ("configuration", .string("\(plan.folder)/cluster.json5")),
                ("secret", .string("\(plan.folder)/admin.secret")), ("nodes", list(nodes)),
                ("use", list(use.map(Value.string))),
            ]))
    }
}

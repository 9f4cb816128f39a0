internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Rules
internal import Sockets
internal import SyncProtocol
internal import Tokens

/// `hearth rules get` and `hearth rules set`: the rules that the nodes of a cluster enforce.
enum ClusterRulesVerbs {
    private static let file = Argument(
        "FILE", "The document of rules; - reads standard input.", arity: .optional, values: .file)
    private static let from = Option(
        "from", "DIGEST",
        "Instead of FILE, earlier rules of the database, by the beginning of their digest "
            + "(`hearth rules history` lists them)."
    )
    private static let confirm = Option(
        "confirm", "HOW-MANY",
        "On how many nodes the rules must be durable before the command ends: local, majority "
            + "or all; local by default. If they are not within 3 seconds, or --timeout, the "
            + "command ends with exit code 80, but the rules are installed.",
        values: .oneOf(WriteConcern.allCases.map(\.rawValue)))
    private static let replacing = Option(
        "replacing", "DIGEST",
        "Only replace the rules with this digest (`hearth rules get` shows it), or \"none\" "
            + "if there are none."
    )

    static let get = Verb(
        "get",
        "Prints the rules of a database as they were written, and their digest on standard "
            + "error.",
        options: NodeClient.options,
        examples: ["hearth rules get --node n2", "hearth rules get > rules.json"]
    ) { invocation throws(CommandError) in
        let rules = try ClusterRules(for: invocation)
        guard let report = try rules.report() else {
            let option = rules.database.isDefault ? "" : " --database \(rules.database)"
            throw CommandError(
                .checkFailed,
                "\(rules.database.subject) has no rules: everything is open if `hearth cluster up` started the cluster without "
                    + "secrets and tokens; otherwise only administrators may do anything",
                fix: "install rules with `hearth rules set FILE\(option)`")
        }
        StandardOutput.shared.write(Array(report.source.utf8))
        if !report.source.hasSuffix("\n") { StandardOutput.shared.write([UInt8(ascii: "\n")]) }
        let before = report.previous.isEmpty ? "none" : report.previous
        Terminal.standardError.print("digest \(report.digest); before: \(before)")
        return .success
    }

    static let set = Verb(
        "set",
        "Installs the rules of a database. The accepting node enforces them at once, and each "
            + "other node when they arrive. A partitioned node continues to enforce the old rules. "
            + "If no node serves yet, the command waits for one, for 5 seconds or --timeout.",
        arguments: [file], options: NodeClient.options + [confirm, replacing, from],
        examples: [
            "hearth rules set rules.json", "hearth rules set rules.json --confirm all",
            "hearth rules set --from Xu3nIkQ",
        ]
    ) { invocation throws(CommandError) in
        let document = try document(of: invocation)
        let concern = invocation[confirm].flatMap(WriteConcern.init(rawValue:)) ?? .local
        let replaced = invocation[replacing].map { $0 == "none" ? "" : $0 }
        let cluster = try ClusterRules(for: invocation)
        let installed = try cluster.set(document, replacing: replaced, confirmedBy: concern)
        StandardOutput.shared.print(
            "rules \(installed.digest) are installed; before: \(installed.previous)")
        let (reached, missing) = (installed.reached, installed.missing)
        if try NodeOptions.secret(of: invocation) == nil {
            Terminal.standardError.print(
                "warning: the cluster has neither administrators' secrets nor tokens. Each client is an administrator, and rules do not apply to it; "
                    + "list the issuers of \"tokens\" in the configuration (configs/users.json5)")
        }
        guard reached >= concern else {
            throw CommandError(
                .lessDurable,
                "the rules are installed, and durable on \(reached == .local ? "one node" : "most nodes")"
                    + (missing.isEmpty ? "" : ", not on \(missing.joined(separator: ", "))"),
                fix: "wait for the other nodes; `hearth cluster status` shows them")
        }
        return .success
    }
}

extension ClusterRulesVerbs {
    /// The document that `set` is given, as a file or by the digest of rules that the cluster had.
    private static func document(of invocation: Invocation) throws(CommandError) -> String {
        switch (invocation.words(of: file).first, invocation[from]) {
        case (let file?, nil): return try RulesFile(file).checkedText()
        case (nil, let digest?): return try ClusterRules(for: invocation).document(from: digest)
        default:
            throw invocation.usageError(
                "FILE and --from are both given, or both missing",
                fix: "give FILE or --from DIGEST")
        }
    }

    private static let statement = Argument(
        "OPERATION",
        "read PATH, write PATH VALUE, update PATH VALUE or delete PATH, then `as none` or `as VALUE`, as in the cases of `hearth rules "
            + "test`.", arity: .repeated)
    private static let limit = Option(
        "limit", "COUNT", "The maximum number of locations; 100 by default.")
    private static let user = Option(
        "as", "WHO",
        "The user of the operation: a user ID, a value of auth such as {uid: \"ada\"}, a file "
            + "with one such as ada.json, or none; none by default.")
    private static let document = Option(
        "rules", "FILE",
        "A file with other rules than those of the database. The data of the node are used.",
        values: .file)

    static let simulate = Verb(
        "simulate",
        "Says whether the rules of a database permit an operation on the data of a node, and "
            + "why not. It changes nothing. Ends with 1 if the rules deny it.",
        arguments: [statement], options: NodeClient.options + [document, user],
        examples: [
            "hearth rules simulate 'write /users/ada {name: 7} as {uid: \"ada\"}' --node n2",
            "hearth rules simulate 'read /users/ada' --as ada --rules rules.json",
        ]
    ) { invocation throws(CommandError) in
        var words = invocation.words(of: statement).joined(separator: " ")
        if let auth = try auth(of: invocation) { words += " as \(auth.json)" }
        let reasons = try reasons(against: words, for: invocation)
        StandardOutput.shared.print(reasons.isEmpty ? "allowed" : "denied")
        for reason in reasons { StandardOutput.shared.print("    " + reason) }
        return reasons.isEmpty ? .success : .checkFailed
    }

    static let audit = Verb(
        "audit",
        "Finds data of a node that a .validate of the rules does not permit. Such data are "
            + "older than the rules, were written by administrators, or result from concurrent "
            + "writes at several nodes. Ends with 1 if there are any.",
        options: NodeClient.options + [user, limit],
        examples: ["hearth rules audit --node n2"]
    ) { invocation throws(CommandError) in
        let count = try invocation.integer(limit, in: 1...1_000_000) ?? 100
        let ruleset = try ClusterRules(for: invocation).ruleset()
        let auth = try auth(of: invocation) ?? .null
        let data = try NodeClient(for: invocation).get(.root)
        let now = Double(time(nil)) * 1_000
        let violations = ruleset.violations(in: data, by: auth, at: now, limit: count)
        for violation in violations {
            StandardOutput.shared.print("\(violation.path): \(violation.reason)")
        }
        return violations.isEmpty ? .success : .checkFailed
    }

    /// Why the rules deny an operation on the data of a node: those of the database, or of the file that is named.
    private static func reasons(
        against statement: String, for invocation: Invocation
    ) throws(CommandError) -> [String] {
        guard let file = invocation[document] else {
            return try ClusterRules(for: invocation).reasons(against: statement)
        }
        let ruleset = try RulesFile(file).read()
        let data = try NodeClient(for: invocation).get(.root)
        do throws(RuleTestError) {
            let asked = try RuleStatement(statement, on: data, at: Double(time(nil)) * 1_000)
            return ruleset.trace(asked.operation, in: asked.situation).explanation
        } catch {
            throw CommandError(
                .usage, "\(error.line):\(error.column): \(error.problem)", fix: error.fix)
        }
    }

    /// The user of `--as`: a uid, or the value of `auth` as in a file of cases; nil without the option.
    private static func auth(of invocation: Invocation) throws(CommandError) -> Claim? {
        guard var text = invocation[user] else { return nil }
        if text.hasSuffix(".json") {
            text = String(decoding: try InputFile(text).readAll(), as: UTF8.self)
        } else if text != "none", !text.hasPrefix("{") {
            return .user(text)
        }
        do throws(RuleTestError) {
            return try RuleStatement("read / as \(text)", on: .null, at: 0).situation.auth
        } catch {
            throw CommandError(
                .usage, "--as: \(error.problem)",
                fix: "give a uid, what auth is, such as {uid: \"ada\"}, or none")
        }
    }
}

/// The rules of the database that a command names.
struct ClusterRules {
    /// The outcome of an installation.
    struct Installation {
        let digest: String
        /// The digest of the replaced rules, or `none`.
        let previous: String
        /// On how many nodes the rules are durable.
        let reached: WriteConcern
        /// The members that lack them, if these are too few nodes.
        let missing: [String]
    }

    let database: DatabaseName
    let servers: [HTTPAddress]
    let probe: StatusProbe
    let limit: Duration
    /// How long a node waits until the rules are durable on others; nil as for a write.
    private let patience: Duration?

    init(for invocation: Invocation) throws(CommandError) {
        database = try NodeOptions.database(of: invocation)
        probe = try StatusProbe(for: invocation)
        servers = probe.respondingFirst(try NodeOptions.servers(of: invocation))
        patience = try invocation.duration(NodeClient.timeout)
        limit = patience ?? .seconds(5)
    }

    /// The rules, as the first node has them that answers.
    func report() throws(CommandError) -> RulesReport? {
        try servers.firstAnswer { server throws(CommandError) in
            try probe.rules(at: server, within: limit)
        }
    }

    /// The rules, from nodes that may still be starting: a new cluster serves after a second or two.
    private func reportOnceServing() throws(CommandError) -> RulesReport? {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(CommandError) {
                return try report()
            } catch {
                let mayStart = error.status == .unavailable && ContinuousClock.now < deadline
                guard mayStart, !StopRequest.isThere else { throw error }
                // A node that starts says only when asked whether it serves.
                usleep(100_000)
            }
        }
    }

    /// The rules, compiled; those of a database without any permit nothing.
    func ruleset() throws(CommandError) -> Ruleset {
        let source = try report()?.source ?? "{\"rules\": {}}"
        do throws(RulesetError) {
            return try Ruleset(Array(source.utf8))
        } catch {
            throw CommandError(
                .software, "the rules of \(database.subject) do not compile here",
                fix: "use the version of hearth that the nodes run")
        }
    }

    /// Why the rules deny an operation on the data of the first node that answers.
    func reasons(against statement: String) throws(CommandError) -> [String] {
        try servers.firstAnswer { server throws(CommandError) in
            try probe.explain(statement, at: server, within: limit)
        }
    }

    /// Sets rules. Warnings go to standard error.
    func set(
        _ document: String, replacing replaced: String?, confirmedBy concern: WriteConcern
    ) throws(CommandError) -> Installation {
        let previous = try reportOnceServing()?.digest ?? "none"
        let result = try servers.firstAnswer { server throws(CommandError) in
            let reached = try probe.setRules(
                document, replacing: replaced, at: server, confirmedBy: concern,
                patience: patience, within: limit)
            let missing =
                reached < concern
                ? probe.membersWithout(document, at: server, within: limit) : nil
            let evicted = concern == .all ? probe.evictedNodes(at: server) : []
            return (reached: reached, missing: missing ?? [], evicted: evicted)
        }
        if !result.evicted.isEmpty {
            Terminal.standardError.print(
                EvictedNodes.report(result.evicted, lacking: "the rules are", as: "them"))
        }
        warnOfIndexes()
        return Installation(
            digest: RulesRecord.digest(of: document), previous: previous, reached: result.reached,
            missing: result.missing)
    }

    /// Warns if a node has no room for the declared indexes. A silent node delays the command by a second only.
    private func warnOfIndexes() {
        for answer in probe.answers(of: servers, within: min(limit, .seconds(1))) {
            guard case .status(let report) = answer.outcome,
                let shortage = report.clients.queries.shortage
            else { continue }
            Terminal.standardError.print(
                "warning: \(report.identity.member) \(shortage.problem)\nfix: \(shortage.fix)")
        }
    }
}

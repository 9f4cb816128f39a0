internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import Sockets
internal import SyncProtocol

extension ClusterRulesVerbs {
    private static let place = Argument(
        "PATH", "Only writes at this location, below it or above it; all by default.",
        arity: .optional)
    private static let uid = Option(
        "uid", "UID", "Only writes of this user; \"none\" for clients that were not signed in.")
    private static let administrator = Option(
        "administrator", "NAME",
        "Only writes of this administrator: secret:FINGERPRINT or token:USER, as the list shows it."
    )
    private static let outdated = Option(
        flag: "outdated", "Only writes that other rules than the present ones allowed.")
    private static let json = Option(flag: "json", "Print one JSON object for each write.")

    static let writes = Verb(
        "writes",
        "Lists the writes that a node's log still has: the time, the accepting node, the "
            + "user, the rules that allowed it, and the locations. Writes of administrators have no "
            + "rules; they name the secret by the first 8 digits of its hash in the configuration, "
            + "or the user ID of the token. A log begins at about the last checkpoint.",
        arguments: [place], options: NodeClient.options + [uid, administrator, outdated, json],
        examples: [
            "hearth rules writes /users --uid ada", "hearth rules writes --outdated --json",
            "hearth rules writes --administrator secret:5f0c96a1",
        ]
    ) { invocation throws(CommandError) in
        let cluster = try ClusterRules(for: invocation)
        let filter = try LoggedWriteFilter(
            path: invocation.words(of: place).first, uid: invocation[uid],
            administrator: invocation[administrator],
            outdatedBy: invocation.has(outdated) ? try cluster.report()?.digest ?? "" : nil)
        var (shown, oldest) = (0, Int.max)
        try cluster.eachWrite { write in
            oldest = min(oldest, write.milliseconds)
            guard filter.shows(write) else { return }
            shown += 1
            StandardOutput.shared.print(invocation.has(json) ? write.json : write.line)
        }
        let reach =
            oldest == .max
            ? "the log holds none"
            : "the log goes back to \(LogTime.text(of: UInt64(clamping: oldest)))"
        Terminal.standardError.print("\(counted(shown, "write")); \(reach)")
        return .success
    }
}

/// Which writes are listed.
private struct LoggedWriteFilter {
    private let path: Path?
    private let uid: String?
    private let administrator: String?
    private let digest: String?

    /// - Parameter outdatedBy: The digest of the rules that the cluster has now, if only those of others are listed.
    init(
        path: String?, uid: String?, administrator: String?, outdatedBy digest: String?
    ) throws(CommandError) {
        do throws(DataError) {
            self.path = try path.map { text throws(DataError) in try Path(text) }
        } catch {
            throw CommandError(.usage, error.problem, fix: error.fix)
        }
        (self.uid, self.administrator, self.digest) = (uid, administrator, digest)
    }

    func shows(_ write: LoggedWrite) -> Bool {
        if let uid {
            guard write.rules != nil, write.user ?? "none" == uid else { return false }
        }
        if let administrator, write.administrator != administrator { return false }
        if let digest {
            guard let rules = write.rules, rules != digest else { return false }
        }
        guard let path else { return true }
        return write.paths.contains { text in
            (try? Path(text)).map { $0.contains(path) || path.contains($0) } ?? false
        }
    }
}

extension LoggedWrite {
    /// The node that took it; the number of its incarnation if it runs no more.
    private var taker: String { member ?? origin }

    fileprivate var line: String {
        "\(LogTime.text(of: UInt64(clamping: milliseconds))) \(taker) \(author)  "
            + paths.joined(separator: " ")
    }

    /// The user and the rules, or the administrator.
    private var author: String {
        guard let rules else {
            return administrator.map { "administrator \($0)" } ?? "administrator"
        }
        let user = user.map { JSONWriter.text(of: .string($0)) } ?? "nobody"
        return "\(user) by \(rules.prefix(8))"
    }

    fileprivate var json: String {
        func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
        var members = [
            "\"milliseconds\":\(milliseconds)", "\"node\":\(text(taker))",
            "\"origin\":\(text(origin))", "\"sequence\":\(sequence)",
        ]
        if let rules {
            members.append("\"uid\":\(user.map(text) ?? "null")")
            members.append("\"rules\":\(text(rules))")
        }
        if let administrator { members.append("\"administrator\":\(text(administrator))") }
        members.append("\"paths\":[\(paths.map(text).joined(separator: ","))]")
        return "{\(members.joined(separator: ","))}"
    }
}

extension ClusterRules {
    /// Takes all writes in the log of the first node that answers.
    fileprivate func eachWrite(_ body: (LoggedWrite) -> Void) throws(CommandError) {
        let asked = try servers.firstAnswer { server throws(CommandError) in
            (server, try probe.writes(beyond: VersionVector(), at: server, within: limit))
        }
        var page = asked.1
        while true {
            page.writes.forEach(body)
            guard let next = page.next else { return }
            page = try probe.writes(beyond: next, at: asked.0, within: limit)
        }
    }
}

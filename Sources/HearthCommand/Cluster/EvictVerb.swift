internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import SyncProtocol
internal import TLS

/// `hearth cluster evict`: evicts a node from its cluster.
enum EvictVerb {
    private static let member = Argument(
        "NODE", "The node to evict, such as n3.", values: .node)
    private static let force = Option(
        flag: "force",
        "Evict it even if it runs. Without this option, the command asks for confirmation.")

    static let verb = Verb(
        "evict",
        "Evicts a node that does not return soon, so that the others no longer wait for it. "
            + "More than half of all nodes must run and vote for it; otherwise the eviction is "
            + "refused. The nodes of each database vote by themselves, and the command names the "
            + "databases that refuse. When the evicted node returns, it installs a checkpoint of a peer, replays "
            + "the operations that only it has, and rejoins. A running node does so at once.",
        arguments: [member], options: NodeClient.options + [force],
        examples: ["hearth cluster evict n3", "hearth cluster evict n3 --node n1"], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let eviction = try EvictionRequest(
            of: invocation[member], for: invocation,
            within: try invocation.duration(NodeClient.timeout) ?? .seconds(5))
        let reachers = try eviction.reachers()
        if !reachers.isEmpty, !invocation.has(force),
            try !isConfirmed(invocation[member], reachedBy: reachers)
        {
            Terminal.standardError.print("\(invocation[member]) is not evicted")
            return .success
        }
        let databases = try databases(of: invocation[member], for: invocation)
        var refusals: [EvictionRefusal] = []
        for database in databases {
            do throws(CommandError) {
                let eviction = try eviction.request(in: database)
                try eviction.waitUntilDecided(at: try eviction.vote())
            } catch {
                // The nodes of each database decide by themselves.
                refusals.append(
                    EvictionRefusal(
                        database: database.name, reason: error,
                        others: database.nodes?.filter { $0 != invocation[member] }))
            }
        }
        if let error = refusals.error(of: invocation[member], among: databases.count) {
            throw error
        }
        StandardOutput.shared.print(
            "\(invocation[member]) is evicted: the other nodes no longer wait for it"
                + (reachers.isEmpty ? "" : "; it runs, and rejoins with their data"))
        return .success
    }

    /// The databases of which a node is a member, each with its nodes unless all nodes hold it, as the first node that answers knows.
    private static func databases(
        of member: String, for invocation: Invocation
    ) throws(CommandError) -> [(name: DatabaseName, nodes: [String]?)] {
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        for server in try NodeOptions.servers(of: invocation) {
            let databases = try? probe.databases(at: server, within: .seconds(2))
            guard let databases else { continue }
            return databases.filter { $0.placement?.nodes.contains(member) ?? true }
                .map { ($0.name, $0.placement?.nodes) }
        }
        return [(.default, nil)]
    }

    /// Asks for confirmation if the node runs; fails if there is no terminal to ask at.
    private static func isConfirmed(
        _ id: String, reachedBy nodes: [String]
    ) throws(CommandError) -> Bool {
        let others = nodes.filter { $0 != id }
        let problem =
            others.isEmpty
            ? "\(id) runs: it has just answered"
            : "\(id) runs: \(others.joined(separator: " and ")) has just reached it"
        let refusal = CommandError(
            .usage, problem,
            fix:
                "stop it first, or add --force: it then accepts no writes until it has installed a "
                + "checkpoint of a peer and rejoined")
        return try Confirmation("\(problem). Evict it?").ask(otherwise: refusal)
    }
}

/// The refusal to evict a node from a database.
struct EvictionRefusal {
    let database: DatabaseName
    let reason: CommandError
    /// The other nodes that hold the database; nil if all do.
    var others: [String]?
}

extension [EvictionRefusal] {
    /// The error that names the databases by reason, with the status of the most informative one; nil without refusals.
    ///
    /// - Parameter count: The number of databases from which the node was to be evicted.
    func error(of member: String, among count: Int) -> CommandError? {
        guard let first = map(\.reason).mostInformative else { return nil }
        if count == 1 { return first }
        var names: [(problem: String, databases: [String])] = []
        for refusal in self {
            let (problem, name) = (refusal.reason.problem, refusal.database.text)
            if let index = names.firstIndex(where: { $0.problem == problem }) {
                names[index].databases.append(name)
            } else {
                names.append((problem, [name]))
            }
        }
        let rest = count - self.count
        let lines =
            names.map {
                "\(member) is not evicted from \($0.databases.joined(separator: ", ")): \($0.problem)"
            } + (rest > 0 ? ["it is evicted from all other databases (\(rest))"] : [])
        return CommandError(
            first.status, lines.joined(separator: "\n       "),
            fix: moves(leaving: member) ?? first.fix)
    }

    /// The commands that leave an evicted node behind, if only databases on some nodes refuse.
    private func moves(leaving member: String) -> String? {
        let moves: [String] = compactMap { refusal in
            guard let others = refusal.others, !others.isEmpty else { return nil }
            return
                "`hearth database move \(refusal.database) --nodes \(others.joined(separator: ","))`"
        }
        guard moves.count == count else { return nil }
        return "leave \(member) behind with \(moves.joined(separator: ", "))"
    }
}

/// One request for an eviction to the nodes of a cluster.
private struct EvictionRequest {
    /// The interval between requests for statuses while the command waits, in microseconds.
    private static let pauseMicroseconds: UInt32 = 100_000
    /// A node that fell silent counts as reached for two more seconds.
    private static let silence = Duration.milliseconds(2_500)

    private let member: String
    private var servers: [HTTPAddress]
    private let limit: Duration
    private let secret: Secret?
    private var probe: StatusProbe

    init(
        of member: String, for invocation: Invocation, within limit: Duration
    ) throws(CommandError) {
        self.member = member
        self.limit = limit
        servers = try NodeOptions.servers(of: invocation)
        secret = try NodeOptions.secret(of: invocation)
        probe = StatusProbe(showing: secret)
    }

    /// The request in another database, to those of its nodes that answer.
    ///
    /// - Parameter database: Its name, and its nodes unless all nodes hold it.
    func request(
        in database: (name: DatabaseName, nodes: [String]?)
    ) throws(CommandError) -> EvictionRequest {
        var request = self
        // A node of 0.4.0 knows no name, not even that of the default database.
        let name = database.name.isDefault ? nil : database.name
        request.probe = StatusProbe(showing: secret, of: name)
        guard let nodes = database.nodes else { return request }
        let holders = zip(servers, try reports()).filter { _, report in
            report.map { nodes.contains($0.identity.member) } ?? false
        }
        if !holders.isEmpty { request.servers = holders.map(\.0) }
        return request
    }

    /// The nodes that reach the one to evict, itself included if it answers; empty if it is gone.
    ///
    /// Waits until peers notice a node that was killed just now.
    func reachers() throws(CommandError) -> [String] {
        let deadline = ContinuousClock.now + EvictionRequest.silence
        while true {
            let reports = try reports().compactMap { $0 }
            if reports.contains(where: { $0.identity.member == member }) { return [member] }
            let names = reports.filter { $0.exchange.connectedPeers[member] != nil }
                .map(\.identity.member)
            if names.isEmpty || ContinuousClock.now >= deadline { return names }
            usleep(EvictionRequest.pauseMicroseconds)
        }
    }

    /// Has the first node that may do so vote, and returns its address.
    ///
    /// Only nodes that show their status are asked, as a silent one delays the command; if there are none, all are.
    ///
    /// - Throws: why the first one did not, if none does.
    func vote() throws(CommandError) -> HTTPAddress {
        let others = zip(servers, try reports()).filter { $0.1?.identity.member != member }
        let reported = others.filter { $0.1 != nil }
        var refusal: CommandError?
        for (server, _) in reported.isEmpty ? others : reported {
            do throws(CommandError) {
                try probe.evict(member, at: server, within: limit)
                return server
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal
            ?? CommandError(
                .unavailable, "\(member) is the only node that was named",
                fix: "name another node with --node")
    }

    /// Returns once a majority has voted, by the status of the node that was asked.
    func waitUntilDecided(at server: HTTPAddress) throws(CommandError) {
        let deadline = ContinuousClock.now + limit
        while true {
            let report = try reports(of: [server])[0]
            if let report, report.membership.evictionVotes[member] == nil { return }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .outcomeUnknown,
                    "the vote is recorded, but no majority has voted yet: \(member) is not evicted",
                    fix:
                        "start the other nodes: the vote remains, and `hearth cluster status` shows "
                        + "when \(member) is evicted")
            }
            usleep(EvictionRequest.pauseMicroseconds)
        }
    }

    private func reports() throws(CommandError) -> [NodeStatus?] { try reports(of: servers) }

    /// The nodes' statuses; nil for a node that does not answer, or in another version's form.
    ///
    /// - Throws: `.denied` if a node answers administrators only.
    private func reports(of servers: [HTTPAddress]) throws(CommandError) -> [NodeStatus?] {
        let answers = probe.answers(of: servers, within: min(limit, .seconds(1)))
        for (server, answer) in zip(servers, answers) {
            if case .denied(let denial) = answer.outcome { throw denial.error(at: server) }
        }
        return answers.map(\.outcome.report)
    }
}

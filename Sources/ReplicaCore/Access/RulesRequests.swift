import DataTree
import Rules
import SyncProtocol

// How administrators read and change the rules of the cluster.

extension Replica {
    /// Whether there are rules by which it judges users.
    public var hasRules: Bool { sessions.access.ruleset != nil }

    /// The rules in the node's status.
    var rulesStatus: NodeStatus.Rules? {
        replication.rules.map { record in
            var rules = NodeStatus.Rules()
            rules.digest = record.digest
            rules.acceptedMilliseconds = Int(clamping: record.stamp.time.milliseconds)
            rules.isEnforced = hasRules && sessions.access.judgesClients
            rules.members = membersWithRules
            return rules
        }
    }

    /// The members that are not evicted, and whether each holds the rules durably, as far as its heartbeats say.
    private var membersWithRules: [String: Bool] {
        var members = [configuration.member: hasRules]
        for peer in replication.peers.remaining {
            members[peer.member] =
                peer.heartbeat?.vector.covers(replication.rulesVector) ?? false
        }
        return members
    }

    /// The answer to `rules`.
    var rulesReport: Value { replication.rules.map { RulesReport($0).value } ?? .null }

    /// Gives the cluster other rules: they count here from the next request on, and at each other node as they arrive.
    mutating func setRules(
        _ request: SetRulesRequest, for submission: Submission
    ) throws(RequestFailure) {
        let digest = replication.rules?.digest ?? ""
        if let replaced = request.replaced, replaced.text != digest {
            throw RequestFailure(
                .changed, "the cluster has other rules than those to be replaced",
                fix: "read the rules again (`hearth rules get`), and apply the change to them")
        }
        _ = try compile(request.source)
        if !request.isCheck {
            accept(
                [RulesRecord.write(request.source, replacing: digest)],
                for: sessions.access.attribution(of: submission.session))
        }
        confirm(submission, with: .ok(id: submission.id))
    }

    private func compile(_ source: String) throws(RequestFailure) -> Ruleset {
        do throws(RulesetError) {
            return try Ruleset(Array(source.utf8))
        } catch {
            throw RequestFailure(
                .invalid, error.errors.map(\.description).joined(separator: "\n"),
                fix: "fix the errors at these lines and columns; the rules are unchanged")
        }
    }

    /// Returns the verdict of rules on an operation on this node's tree, without executing it.
    func verdict(on request: ExplainRequest) throws(RequestFailure) -> RulesVerdict {
        let document: Ruleset? =
            if let source = request.source { try compile(source) } else { sessions.access.ruleset }
        guard let ruleset = document else {
            if sessions.access.isOpen { return RulesVerdict(reasons: []) }
            return RulesVerdict(reasons: ["there are no rules: only administrators may do anything"]
            )
        }
        do throws(RuleTestError) {
            let asked = try RuleStatement(
                request.statement, on: value, at: Double(now.wallMilliseconds))
            let trace = ruleset.trace(asked.operation, in: asked.situation)
            return RulesVerdict(reasons: trace.explanation)
        } catch {
            throw RequestFailure(
                .invalid, "\(error.line):\(error.column): \(error.problem)", fix: error.fix)
        }
    }
}

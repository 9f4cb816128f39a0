import DataTree
import QueryEngine
import Rules
import SyncProtocol

/// The identities of a node's clients, and the permissions that the cluster's rules give them.
///
/// The node that receives a request checks it against its own tree, rules and clock. Peers accept its decision.
/// Rules do not apply to administrators. Without rules, or with a document that this node cannot compile, other
/// clients may do nothing. In an emulator, each client is an administrator until the cluster has rules.
struct Access: Sendable {
    /// A client to which rules apply.
    struct User: Sendable {
        let auth: Claim
        /// Whether refusals contain the reason: for an administrator who acts as a user, and for a debugging token.
        let learnsReasons: Bool
        /// Whether the client is a monitor: it may request status and backups, and no data.
        let isMonitor: Bool

        /// The user that a principal is or acts as; nil for an administrator.
        init?(_ principal: Principal) {
            switch principal {
            case .administrator: return nil
            case .monitor: (auth, learnsReasons) = (.null, false)
            case .user(let auth): (self.auth, learnsReasons) = (auth, false)
            case .override(let auth): (self.auth, learnsReasons) = (auth, true)
            }
            isMonitor = principal == .monitor
        }
    }

    /// A client's identity, and a cache of the grants of its rules.
    private struct Client {
        let principal: Principal
        /// The attribution of the client's operations.
        let attribution: Attribution?
        var granted: GrantedWay?
    }

    /// The principal of clients that the driver has not identified.
    private let unidentified: Principal
    private let isOpenWithoutRules: Bool
    private var unidentifiedAttribution: Attribution?
    private var clients: [SessionID: Client] = [:]
    private(set) var ruleset: Ruleset?
    /// The stamp of the rules' record, and the digest of it.
    private(set) var stamp: Stamp?
    private var digest = ""
    /// The counts of the values of rules, if they are counted.
    private(set) var counting: RuleCounting?
    /// The listens of users, by the data that their verdicts rest on.
    var grants = ListenGrants()
    /// The work of rules since `takeSpentUnits`.
    private var spentUnits = 0

    init(unidentified: Principal, isOpenWithoutRules: Bool = false) {
        (self.unidentified, self.isOpenWithoutRules) = (unidentified, isOpenWithoutRules)
        unidentifiedAttribution = attribution(of: unidentified)
    }

    /// Whether every client may do everything.
    var isOpen: Bool { isOpenWithoutRules && stamp == nil }

    /// Whether rules judge clients that the driver has said nothing of: with rules, the node enforces them.
    var judgesClients: Bool { !unidentified.isAdministrator }

    /// The user of a session, or the user as which its administrator acts; nil for an administrator.
    func user(of session: SessionID) -> User? { user(principal(of: session)) }

    /// The user that a principal is or acts as; nil for an administrator.
    func user(_ principal: Principal) -> User? { isOpen ? nil : User(principal) }

    /// The principal of a session's client.
    func principal(of session: SessionID) -> Principal {
        clients.isEmpty ? unidentified : clients[session]?.principal ?? unidentified
    }

    /// The attribution of a client's operations; nil for an administrator without a credential.
    func attribution(of session: SessionID) -> Attribution? {
        if clients.isEmpty { return unidentifiedAttribution }
        guard let place = clients.index(forKey: session) else { return unidentifiedAttribution }
        return clients.values[place].attribution
    }

    /// The attribution of a principal's operations; nil for an administrator without a credential.
    func attribution(of principal: Principal) -> Attribution? {
        if isOpen { return nil }
        if case .administrator(let name) = principal {
            return name.map { Attribution(administrator: $0) }
        }
        return principal.auth.map { Attribution(user: $0.uid, rules: digest) }
    }

    private func client(_ principal: Principal) -> Client {
        Client(principal: principal, attribution: attribution(of: principal))
    }

    /// Whether a client is no administrator: it learns nothing of nodes beyond what it asks for.
    func isUser(_ session: SessionID) -> Bool { user(of: session) != nil }

    /// Whether a client may request the status of the node.
    func mayReadStatus(_ session: SessionID) -> Bool { user(of: session)?.isMonitor ?? true }

    /// Records a client's principal; returns whether it has changed.
    mutating func identify(_ session: SessionID, as principal: Principal) -> Bool {
        let before = self.principal(of: session)
        if principal == before { return false }
        clients[session] = principal == unidentified ? nil : client(principal)
        return true
    }

    /// Forgets a client whose session has ended.
    mutating func forget(_ session: SessionID) {
        if !clients.isEmpty { clients[session] = nil }
        grants.removeAll(of: session)
    }

    /// Compiles the rules in force; returns whether they have changed. New rules restart the counting.
    mutating func adopt(_ record: RulesRecord?, at milliseconds: UInt64) -> Bool {
        guard record?.stamp != stamp else { return false }
        (stamp, digest) = (record?.stamp, record?.digest ?? "")
        ruleset = record.flatMap { try? Ruleset(Array($0.source.utf8)) }
        clients = clients.mapValues { client($0.principal) }
        unidentifiedAttribution = attribution(of: unidentified)
        if counting != nil { beginCounting(at: milliseconds) }
        return true
    }

    /// Starts to count the values of the rules.
    mutating func beginCounting(at milliseconds: UInt64) {
        counting = RuleCounting(of: ruleset, since: milliseconds)
    }

    /// Forgets what was counted.
    mutating func endCounting() { counting = nil }

    /// Returns the work that rules have taken since the last call, in their units.
    mutating func takeSpentUnits() -> Int {
        defer { spentUnits = 0 }
        return spentUnits
    }
}

// MARK: - Verdicts

extension Access {
    /// The permission by which a user may read the result of a query; nil if there is none.
    mutating func grant(
        of path: Path, _ query: Query, to user: User, seeing replica: ReplicationView
    ) -> ReadGrant? {
        guard let ruleset, !user.isMonitor else { return nil }
        let situation = RuleSituation(reading: query, by: user.auth, seeing: replica)
        guard counting != nil else {
            return ruleset.grant(reading: path, in: situation, spending: &spentUnits)
        }
        return counting!.grant(
            reading: path, in: situation, by: ruleset, spending: &spentUnits)
    }

    /// Why a user may not read what a query shows; nil if the rules permit it.
    mutating func refusal(
        ofReading path: Path, _ query: Query, by user: User, seeing replica: ReplicationView
    ) -> RequestFailure? {
        guard let ruleset, !user.isMonitor else { return .denied(reading: path, to: user) }
        let situation = RuleSituation(reading: query, by: user.auth, seeing: replica)
        let operation = RuleOperation.read(path)
        let verdict =
            counting?.evaluate(operation, in: situation, by: ruleset, spending: &spentUnits)
            ?? ruleset.evaluate(operation, in: situation, spending: &spentUnits)
        if verdict.isAllowed { return nil }
        if verdict == .denied(.exhausted) { return .exhausted(reading: path) }
        return denial(ofReading: path, query, by: user, seeing: replica)
    }

    /// The refusal for a user that may not read the result of a query.
    func denial(
        ofReading path: Path, _ query: Query, by user: User, seeing replica: ReplicationView
    ) -> RequestFailure {
        let denial = RequestFailure.denied(reading: path, to: user)
        guard user.learnsReasons, let ruleset else { return denial }
        let situation = RuleSituation(reading: query, by: user.auth, seeing: replica)
        return denial.explained(by: ruleset.trace(.read(path), in: situation))
    }

    /// The reason why a session's client may not make several writes together; nil if it may.
    ///
    /// - Parameter resolved: The writes as they take effect at this moment, without increments.
    mutating func refusal(
        of writes: [Write], as resolved: [Write], of session: SessionID, in tree: Value,
        at milliseconds: UInt64
    ) -> RequestFailure? {
        if isOpen { return nil }
        guard let place = clients.index(forKey: session) else {
            var granted: GrantedWay?
            return User(unidentified).flatMap {
                Access.refusal(
                    of: writes, as: resolved, by: $0, in: tree, at: milliseconds, judging: ruleset,
                    knowing: &granted, counting: &counting, spending: &spentUnits)
            }
        }
        guard let user = User(clients.values[place].principal) else { return nil }
        return Access.refusal(
            of: writes, as: resolved, by: user, in: tree, at: milliseconds, judging: ruleset,
            knowing: &clients.values[place].granted, counting: &counting, spending: &spentUnits)
    }

    private static func refusal(
        of writes: [Write], as resolved: [Write], by user: User, in tree: Value,
        at milliseconds: UInt64, judging ruleset: Ruleset?, knowing granted: inout GrantedWay?,
        counting: inout RuleCounting?, spending units: inout Int
    ) -> RequestFailure? {
        if user.isMonitor { return .monitorsOnlyObserve }
        guard let path = writes.first?.path else { return nil }
        guard let ruleset else { return .denied(writing: path, to: user) }
        let operation = writes.count == 1 ? RuleOperation.write(path) : .update(writes.map(\.path))
        let refusal: RequestFailure
        let judged = RuleSituation(resolved, by: user.auth, in: tree, at: milliseconds)
        let verdict =
            counting == nil
            ? ruleset.evaluate(operation, in: judged, knowing: &granted, spending: &units)
            : counting!.evaluate(operation, in: judged, by: ruleset, spending: &units)
        switch verdict {
        case .allowed: return nil
        case .denied(.notGranted(_, let place)): refusal = .denied(writing: place, to: user)
        case .denied(.invalid): refusal = .denied(writing: path, to: user)
        case .denied(.exhausted): refusal = .exhausted(writing: path)
        }
        guard user.learnsReasons else { return refusal }
        let situation = RuleSituation(resolved, by: user.auth, in: tree, at: milliseconds)
        return refusal.explained(by: ruleset.trace(operation, in: situation))
    }

    /// Why a user may not do some writes together; nil also for writes that are no data, which are refused as that.
    mutating func refusal(
        of writes: [Write], by user: User, seeing replica: ReplicationView
    ) -> RequestFailure? {
        if user.isMonitor { return .monitorsOnlyObserve }
        let resolved = try? Acceptance.resolveServerValues(writes, seeing: replica)
        var granted: GrantedWay?
        return resolved.flatMap {
            Access.refusal(
                of: writes, as: $0, by: user, in: replica.tree, at: replica.now.wallMilliseconds,
                judging: ruleset, knowing: &granted, counting: &counting, spending: &spentUnits)
        }
    }
}

extension RequestFailure {
    /// The fix for a client that is not signed in.
    private static let anonymousFix =
        "send a token of a user whom the rules permit this, or an administrator's secret, or change the rules (`hearth rules`)"
    /// The fix for a user: another token would make it another user.
    private static let userFix =
        "change the rules, or send an administrator's secret; `hearth rules simulate` shows an administrator which rule denies it"

    private static func fix(for user: Access.User) -> String {
        user.auth == .null ? anonymousFix : userFix
    }

    fileprivate static func denied(
        writing path: Path, to user: Access.User
    ) -> RequestFailure {
        RequestFailure(
            .permissionDenied, "the rules do not permit this client's write at \(path)",
            fix: fix(for: user))
    }

    /// The failure of a read, of a listen when it begins and of one that ends.
    fileprivate static func denied(
        reading path: Path, to user: Access.User
    ) -> RequestFailure {
        if user.isMonitor { return .monitorsOnlyObserve }
        return RequestFailure(
            .permissionDenied, "the rules do not permit this client to read \(path)",
            fix: fix(for: user))
    }

    private static func exhausted(_ request: String) -> RequestFailure {
        RequestFailure(
            .permissionDenied,
            "the rules of \(request) need more work than one request may use (\(RuleLimits.limitOfWork))",
            fix:
                "write less at once, or have the rules search shorter strings by simpler regular expressions",
            limit: .ruleWork)
    }

    fileprivate static func exhausted(writing path: Path) -> RequestFailure {
        exhausted("the write at \(path)")
    }

    fileprivate static func exhausted(reading path: Path) -> RequestFailure {
        exhausted("the read of \(path)")
    }

    /// The failure of a request that takes what there is little of.
    static let forThoseSignedIn = RequestFailure(
        .permissionDenied, "only signed-in users may wait for stable data",
        fix: anonymousFix)

    /// The failure with the reasons below it, a line each: for administrators alone, since they say what is stored.
    fileprivate func explained(by trace: RuleTrace) -> RequestFailure {
        let lines = [problem] + trace.explanation
        return RequestFailure(code, lines.joined(separator: "\n"), fix: fix, limit: limit)
    }

    /// The failure of a monitor's request for anything else than status and backups.
    static let monitorsOnlyObserve = RequestFailure(
        .permissionDenied, "a monitor may only read the status of nodes and take backups",
        fix: "send an administrator's secret, or a token of a user whom the rules permit this")

    /// The failure of a request that concerns the node or the cluster.
    static let administratorsOnly = RequestFailure(
        .permissionDenied, "only administrators may request this",
        fix: "send an administrator's secret (--secret), or a token of an administrator")
}

extension RuleSituation {
    /// Resolved writes, at this moment.
    fileprivate init(
        _ writes: [Write], by user: Claim, in tree: Value, at milliseconds: UInt64
    ) {
        if writes.count == 1 {
            self.init(
                auth: user, now: Double(milliseconds), before: tree,
                write: writes[0].judged(at: milliseconds, in: tree))
        } else {
            self.init(
                auth: user, now: Double(milliseconds), before: tree,
                update: writes.map { $0.judged(at: milliseconds, in: tree) })
        }
    }
}

extension Write {
    /// A resolved write as rules see it. Increments are replaced by their results in a tree.
    fileprivate func judged(at milliseconds: UInt64, in tree: Value) -> RuleWrite {
        guard value.containsDeferred else { return RuleWrite(value, at: path) }
        return RuleWrite(value.resolved(at: milliseconds, against: tree[path]), at: path)
    }
}

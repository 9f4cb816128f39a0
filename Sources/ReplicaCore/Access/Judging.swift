import DataTree
import Rules
package import SyncProtocol

// The calls of the rules: before each operation, and after a change of the client, the rules or the data.

extension Replica {
    /// Refuses writes that the rules do not let a client do; they are judged before they are stamped, and never again.
    ///
    /// - Parameter milliseconds: The time of the server timestamps in them, which the rules see as `now`.
    mutating func checkRules(
        _ writes: [Write], as resolved: [Write], of session: SessionID, at milliseconds: UInt64
    ) throws(RequestFailure) {
        let refusal = sessions.access.refusal(
            of: writes, as: resolved, of: session, in: value, at: milliseconds)
        if let refusal { throw refusal }
        sessions.clients.admit(session)
    }

    /// Refuses a transaction that the rules do not let a client do, before anything says whether its condition holds.
    mutating func checkRules(_ transaction: Write, of session: SessionID) throws(RequestFailure) {
        guard let user = sessions.access.user(of: session) else { return }
        let refusal = sessions.access.refusal(
            of: [transaction], by: user, seeing: replication.view)
        if let refusal { throw refusal }
        sessions.clients.admit(session)
    }

    /// The on-disconnect writes of a session that the rules permit now: all of them together, otherwise each that they
    /// permit by itself. Their server timestamps are of this moment, although a node that rejoins does them later.
    mutating func permitted(_ left: LeftWrites) -> PermittedWrites {
        let record = sessions.disconnects.record(of: left.session)
        if record != nil { sessions.disconnects.note(nil, of: left.session) }
        return PermittedWrites(
            writes: permitted(left.writes, for: sessions.access.user(of: left.session))
                .resolvingTimestamps(at: now.wallMilliseconds),
            attribution: sessions.access.attribution(of: left.session), record: record)
    }

    /// The on-disconnect writes of a user that the rules permit now; all those of an administrator.
    mutating func permitted(_ writes: [Write], for user: Access.User?) -> [Write] {
        guard !writes.isEmpty, let user else { return writes }
        let view = replication.view
        if sessions.access.refusal(of: writes, by: user, seeing: view) == nil { return writes }
        let permitted = writes.filter {
            sessions.access.refusal(of: [$0], by: user, seeing: view) == nil
        }
        if permitted.count < writes.count { sessions.countRefusal() }
        return permitted
    }

    /// Records a client's principal, and checks its listens again if it has changed.
    mutating func identify(_ session: SessionID, as principal: Principal) {
        guard sessions.access.identify(session, as: principal) else { return }
        sessions.disconnects.change(session)
        sessions.judgeAgain(sessions.listens.listeners(of: session), seeing: replication.view)
    }

    /// Judges the listens whose verdicts rest on what an operation has changed.
    mutating func judgeListens(after changes: [Change]) {
        if sessions.access.grants.isEmpty { return }
        let affected = sessions.access.grants.listeners(affectedBy: changes, in: value)
        sessions.judgeAgain(affected, seeing: replication.view)
    }

    /// Whether a session was told to end, and goes on.
    package func isToConnectAgain(_ session: SessionID) -> Bool {
        sessions.overtaken.contains(session)
    }

    /// Whether a session has a listen that it has begun under this number.
    package func hasListen(_ id: UInt64, of session: SessionID) -> Bool {
        sessions.listens.contains(Listens.Listener(session: session, id: id))
    }

    /// Has the rules that count judge everything from here on, listens that exist included.
    mutating func adoptRules() {
        if learnRules() { judgeAllListens() }
    }

    /// Has the rules that count judge what comes from here on; returns whether they are others than before.
    @discardableResult
    mutating func learnRules() -> Bool {
        guard sessions.access.adopt(replication.rules, at: now.wallMilliseconds)
        else { return false }
        sessions.listens.nameIndexes(by: sessions.access.ruleset)
        return true
    }

    mutating func judgeAllListens() {
        sessions.judgeAgain(sessions.listens.listeners, seeing: replication.view)
    }
}

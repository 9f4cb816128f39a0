import DataTree
import QueryEngine
import Rules
import SyncProtocol

// The requests of users. Rules come before limits and data, so that a refusal reveals neither.

extension ClientMessage {
    /// Whether rules judge it where it is done: a listen with what its verdict rests on, a write with what it writes.
    var isJudgedAsItIsDone: Bool {
        if case .listen = request { true } else { isWrite }
    }

    /// Whether it makes an operation.
    var isWrite: Bool {
        switch request {
        case .put, .merge, .push: true
        default: false
        }
    }
}

extension Sessions {
    /// Why a user may not do a request that is judged before it is done; nil if the rules permit it.
    mutating func refusal(
        of request: ClientRequest, by user: Access.User, seeing replica: ReplicationView
    ) -> RequestFailure? {
        switch request {
        case .get(let get):
            access.refusal(ofReading: get.path, get.query, by: user, seeing: replica)
        case .children(let children):
            access.refusal(ofReading: children.path, Query(), by: user, seeing: replica)
        case .onDisconnect(let put):
            access.refusal(
                of: [Write(path: put.path, value: put.value)], by: user, seeing: replica)
        case .onDisconnectMerge(let merge):
            access.refusal(of: merge.writes.below(merge.path), by: user, seeing: replica)
        case .listen, .put, .merge, .push:
            preconditionFailure("\(request) is judged as it is done")
        // The request occupies one of the few places for waiting clients, which anonymous clients could fill.
        case .awaitStable: user.auth == .null ? .forThoseSignedIn : nil
        // These concern nothing but the session.
        case .unlisten, .onDisconnectCancel, .hello, .ping: nil
        case .backup, .evict, .status, .rules, .setRules, .explain, .coverage, .rulesHistory,
            .writes, .why:
            .administratorsOnly
        }
    }

    /// Returns the permission for a listen of a user; nil for an administrator.
    ///
    /// - Throws: If there is none.
    mutating func grant(
        of listen: ListenRequest, to session: SessionID, seeing replica: ReplicationView
    ) throws(RequestFailure) -> ReadGrant? {
        guard let user = access.user(of: session) else { return nil }
        if let grant = access.grant(of: listen.path, listen.query, to: user, seeing: replica) {
            return grant
        }
        throw access.denial(ofReading: listen.path, listen.query, by: user, seeing: replica)
    }

    /// Judges listens again, as something that their verdicts rest on has changed; ends those that are no longer permitted.
    mutating func judgeAgain(_ listeners: [Listens.Listener], seeing replica: ReplicationView) {
        for listener in listeners {
            guard let listen = listens.listen(of: listener) else { continue }
            guard let user = access.user(of: listener.session) else {
                access.grants.remove(listener)
                continue
            }
            if let grant = access.grant(of: listen.path, listen.query, to: user, seeing: replica) {
                access.grants.set(grant, of: listener)
            } else {
                let denial = access.denial(
                    ofReading: listen.path, listen.query, by: user, seeing: replica)
                end(listener, because: denial)
            }
        }
    }

    private mutating func end(_ listener: Listens.Listener, because failure: RequestFailure) {
        slowClients.remove(listener)
        access.grants.remove(listener)
        _ = listens.remove(listener)
        send(
            .ended(
                listen: listener.id, code: failure.code, problem: failure.problem,
                fix: failure.fix),
            to: listener.session)
    }
}

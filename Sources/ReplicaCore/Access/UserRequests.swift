import DataTree
import QueryEngine
import Rules
import SyncProtocol

// The requests of users. Rules come before limits and data, so that a refusal reveals neither.

extension RulesCheck {
    /// Whether monitors may make such requests.
    fileprivate var admitsMonitors: Bool {
        switch self {
        case .none, .monitors: true
        case .signedIn, .administratorsOnly, .read, .write, .duringExecution: false
        }
    }
}

extension Sessions {
    /// Why a user may not make a request; nil if the rules permit it, or are evaluated as it is executed.
    mutating func refusal(
        of request: ClientRequest, by user: Access.User, seeing replica: ReplicationView
    ) -> RequestFailure? {
        let check = request.rulesCheck
        if user.isMonitor, !check.admitsMonitors { return .monitorsOnlyObserve }
        return switch check {
        case .none, .duringExecution: nil
        case .signedIn: user.auth == .null ? .forThoseSignedIn : nil
        case .monitors: user.isMonitor ? nil : .administratorsOnly
        case .administratorsOnly: .administratorsOnly
        case .read(let path, let query):
            access.refusal(ofReading: path, query, by: user, seeing: replica)
        case .write(let writes): access.refusal(of: writes, by: user, seeing: replica)
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

internal import DataTree
internal import Rules
package import SyncProtocol

// The identity of a session's client, and its permissions.

extension RealtimeSession {
    /// So many wrong credentials may wait for their refusals.
    private static let refusalLimit = 16

    /// Processes a credential. A wrong one takes what an earlier one gave, and is refused somewhat later.
    ///
    /// - Parameter user: The user as which an administrator wants to act.
    mutating func authenticate(
        by credential: String, actingAs user: Claim?, _ number: Int64,
        with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        if authentication.isOpen { return confirm(authentication.initial, number) }
        do throws(CredentialFailure) {
            let shown = try authentication.identity(of: credential, actingAs: user, at: heard)
            return become(shown, with: authentication) + confirm(shown, number)
        } catch {
            guard refusals.count < RealtimeSession.refusalLimit else { return close(.credentials) }
            refusals.append((number, error))
            return become(authentication.initial, with: authentication) + [.delayRefusal]
        }
    }

    private mutating func confirm(_ identity: Identity, _ number: Int64) -> [RealtimeEffect] {
        send(RealtimeText.response(number, payload: RealtimeText.payload(of: identity)))
    }

    /// Continues with another identity, or the same one with another token. The replica checks the client's listens
    /// again. Without rules, a client that is no longer an administrator loses them.
    mutating func become(
        _ next: Identity, with authentication: borrowing Authentication
    ) -> [RealtimeEffect] {
        let before = identity.principal
        identity = next
        guard next.principal != before else { return [] }
        let hasLost =
            authentication.admits(before, to: database)
            && !authentication.admits(next.principal, to: database)
        return (hasLost ? revokeAll() : []) + [.identify(next.principal)]
    }

    /// Signs a client out whose token has expired.
    package mutating func expireCredential(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [RealtimeEffect] {
        guard !isOver, identity.hasEnded(at: now.elapsedMilliseconds) else { return [] }
        return become(authentication.initial, with: authentication)
            + send(RealtimeText.expiredCredential)
    }

    /// Signs a client out if the key of its token is no longer trusted.
    mutating func reviewIdentity(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [RealtimeEffect] {
        authentication.review(&identity, at: now)
        return expireCredential(at: now, with: authentication)
    }

    /// Sends the first refusal of a credential that waits.
    package mutating func sendRefusal() -> [RealtimeEffect] {
        guard !isOver, !refusals.isEmpty else { return [] }
        let (number, failure) = refusals.removeFirst()
        return send(
            RealtimeText.response(
                number, status: failure.realtimeStatus,
                payload: RealtimeText.quoted(failure.refusal.problem)))
    }

    /// Refuses a request of a client that may do nothing.
    mutating func deny(_ number: Int64) -> [RealtimeEffect] {
        send(
            RealtimeText.response(
                number, status: "permission_denied",
                payload: RealtimeText.quoted(RestFailure.permissionDenied.problem)))
    }

    /// Takes all from a client that it had: listens end, and what it left to do at its end is not done.
    private mutating func revokeAll() -> [RealtimeEffect] {
        var effects: [RealtimeEffect] = []
        for listen in listens.all { effects += revoke(listen) }
        return effects + [askUnanswered(.onDisconnectCancel(id: nextRequest(), path: .root))]
    }

    private mutating func revoke(_ listen: UInt64) -> [RealtimeEffect] {
        guard let key = listens[listen]?.key else { return [] }
        listens.remove(listen)
        let end = askUnanswered(.unlisten(id: nextRequest(), listen: listen))
        // A client that has no answer yet gets this one.
        if let request = requests.removeValue(forKey: listen) {
            return [end] + deny(request.number)
        }
        return [end] + send(RealtimeText.revocation(of: key))
    }

    /// A request whose answer no client waits for.
    private func askUnanswered(_ message: ClientMessage) -> RealtimeEffect { .ask([message]) }

    private mutating func nextRequest() -> UInt64 {
        lastRequest += 1
        return lastRequest
    }
}

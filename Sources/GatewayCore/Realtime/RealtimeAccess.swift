internal import DataTree
internal import SyncProtocol

// What the client of a session may do: everything once it has shown a secret, and nothing before.

extension RealtimeSession {
    /// So many wrong credentials may wait for their refusals.
    private static let refusalLimit = 16

    /// Processes a credential. A wrong one takes what an earlier one gave, and is refused somewhat later.
    ///
    /// - Parameter namesUser: Whether the client wants to be some user, who without rules may do nothing.
    mutating func authenticate(
        by credential: String, namesUser: Bool, _ number: Int64
    ) -> [RealtimeEffect] {
        guard let secrets else { return confirmCredential(number) }
        guard secrets.contains(credential) else {
            guard refusals.count < RealtimeSession.refusalLimit else { return close(code: 1_008) }
            refusals.append(number)
            return revoke() + [.delayRefusal]
        }
        let revocation = namesUser ? revoke() : []
        isAdministrator = !namesUser
        return revocation + confirmCredential(number)
    }

    private mutating func confirmCredential(_ number: Int64) -> [RealtimeEffect] {
        send(RealtimeText.response(number, payload: #"{"auth":null}"#))
    }

    /// Sends the first refusal of a credential that waits.
    package mutating func sendRefusal() -> [RealtimeEffect] {
        guard !isOver, !refusals.isEmpty else { return [] }
        return send(
            RealtimeText.response(
                refusals.removeFirst(), status: "invalid_token",
                payload: RealtimeText.quoted(RestFailure.wrongCredential.problem)))
    }

    /// Refuses a request of a client that has shown no secret.
    mutating func deny(_ number: Int64) -> [RealtimeEffect] {
        send(
            RealtimeText.response(
                number, status: "permission_denied",
                payload: RealtimeText.quoted(RestFailure.permissionDenied.problem)))
    }

    /// Takes all from a client that it had by a secret: listens end, and what it left to do at its end is not done.
    mutating func revoke() -> [RealtimeEffect] {
        guard secrets != nil, isAdministrator else { return [] }
        isAdministrator = false
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

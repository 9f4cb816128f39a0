import DataTree
import QueryEngine
import SyncProtocol

// Checks the answers to clients against the decisions of the rules.

extension AccessWatch {
    /// Checks the messages to a client, in order.
    mutating func check(_ message: NodeMessage, to session: SessionID) {
        switch message {
        case .ok(let id), .acknowledged(let id, _), .pushed(let id, _), .value(let id, _):
            finish(id, of: session, as: nil)
        case .error(let id, let code, _, _): finish(id, of: session, as: code)
        case .change(let id, let writes): change(id, of: session, by: writes)
        case .ended(let id, _, _, _): end(id, of: session)
        case .unindexed, .ranges, .ready, .seen: break
        }
    }

    private mutating func finish(_ id: UInt64, of session: SessionID, as code: ErrorCode?) {
        guard let asked = sessions[session]?.asked.removeValue(forKey: id) else { return }
        denials[session, default: []].append(code == .permissionDenied)
        let what = ClientMessage(id: id, asked.request).summary
        let check: Check = asked.request.kind == .read ? .readsAreAllowed : .writesAreAllowed
        switch code {
        case .permissionDenied?:
            tally.count(.allowedIsAccepted)
            if asked.isAllowed == true {
                report(
                    .allowedIsAccepted, session,
                    "its request \(what) was denied, which the rules allow")
            }
        case nil, .changed?:
            tally.count(check)
            // A stamped write may have been done when the rules allowed it.
            if asked.isAllowed == false, asked.request.now == nil {
                report(check, session, "its request \(what) was done, which the rules do not allow")
            }
        default:
            // A refusal for another reason: what it was to leave is not known.
            if case .onDisconnect = asked.request { sessions[session]?.left = nil }
            if case .listen = asked.request { sessions[session]?.listens[id] = nil }
        }
    }

    private mutating func change(_ id: UInt64, of session: SessionID, by writes: [Write]) {
        if sessions[session]?.ended.contains(id) == true {
            report(.readsAreAllowed, session, "it is told of its listen \(id), which has ended")
        }
        guard let listen = sessions[session]?.listens[id] else { return }
        var value = listen.told ?? .null
        for write in writes { value.set(write.value, at: write.path) }
        sessions[session]?.listens[id]?.told = value
    }

    /// Checks an ended listen: its client received only data that it was allowed to see.
    private mutating func end(_ id: UInt64, of session: SessionID) {
        sessions[session]?.ended.insert(id)
        // A slow client has not been sent all that it was allowed to see.
        guard let listen = sessions[session]?.listens.removeValue(forKey: id),
            let tree = listen.lastTree, let told = listen.told, sessions[session]?.isBehind == false
        else { return }
        tally.count(.readsAreAllowed)
        let expected = NaiveQuery(listen.query).shown(of: tree[listen.path])
        if told != expected {
            report(
                .readsAreAllowed, session,
                "it was told \(told) at \(listen.path) until its listen ended, and was allowed to see \(expected)"
            )
        }
    }
}

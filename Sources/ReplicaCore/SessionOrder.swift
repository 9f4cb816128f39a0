import DataTree
import Marks
import SyncProtocol

// The order of one session's requests: those that overlap an undecided transaction of the session wait for its decision.

extension Replica {
    /// Has a request wait if it overlaps an undecided transaction of its session, or a request that waits for one. It also waits
    /// if an operation of many writes has to show before it. If too many requests wait already, refuses it, or serves it at
    /// once if it begins or ends a listen.
    ///
    /// - Parameter decidedTime: When the last transaction was decided that the request has waited for.
    /// - Returns: Whether it is not to be served yet.
    mutating func delays(
        _ message: ClientMessage, of session: SessionID, after decidedTime: HybridTime? = nil
    ) -> Bool {
        let isUnshown = awaitsLargeOperation(message, of: session)
        guard
            coordination.forwarded.contains(session) || sessions.waiting.contains(session)
                || isUnshown
        else { return false }
        let locations = isUnshown ? [.root] : sessions.locations(of: message, in: session)
        let isBehindStamps = message.stamp != nil && sessions.waiting.hasStamps(of: session)
        guard
            isUnshown || isBehindStamps
                || locations.contains(where: { isBlocked($0, for: session) })
        else { return false }
        if let shortage = sessions.waiting.shortage {
            sometimes(.tooManyRequestsWait)
            if sessions.isListenOrItsEnd(message, of: session) { return false }
            sessions.refuse(shortage, message.id, session)
        } else {
            sometimes(.requestWaitsForDecision)
            let principal = sessions.access.principal(of: session)
            sessions.waiting.append(
                message, at: locations, of: session, as: principal, after: decidedTime)
        }
        return true
    }

    /// Whether a request waits until the tree shows an operation of many writes. It waits for one of its own
    /// session, for one that writes what it compares, and for any other if it has many writes itself.
    private func awaitsLargeOperation(_ message: ClientMessage, of session: SessionID) -> Bool {
        // Most often; nothing is copied for it.
        if replication.largeOperations.isEmpty { return false }
        let operations = replication.largeOperations
        switch message.request {
        case .merge(let merge) where merge.writes.count > configuration.limits.writesAtOnce:
            return true
        case .put(let put) where put.condition != nil && operations.overlap(put.path): return true
        default: return operations.contains(session)
        }
    }

    /// Whether requests of a session at this location wait.
    private func isBlocked(_ location: Path, for session: SessionID) -> Bool {
        coordination.forwarded.overlaps(location, of: session)
            || sessions.waiting.overlaps(location, of: session)
    }

    /// Serves the requests whose transactions are decided, in the order in which they were sent. Those beyond their session's
    /// share of the turn wait for the next one.
    ///
    /// - Returns: Whether there were any.
    mutating func serveReleased() -> Bool {
        var hasServed = false
        for session in coordination.forwarded.takeReleased() {
            if release(session) { hasServed = true }
            serveDue(of: session, spending: sessions.shares.share(of: sessions.due.sessionCount))
        }
        return hasServed
    }

    /// Has the requests of a session that have waited for a decision, or for an operation of many writes, be served before
    /// everything that the session has sent later.
    ///
    /// - Returns: Whether there are any.
    @discardableResult
    mutating func release(_ session: SessionID) -> Bool {
        let released = sessions.waiting.removeAll(session)
        sessions.due.prepend(
            released.map {
                .init(.request($0.message, after: $0.decidedTime), by: $0.principal)
            }, of: session)
        return !released.isEmpty
    }
}

// MARK: - The end of a session

extension Replica {
    /// How long transactions of a client that is gone may stay undecided. Then its on-disconnect writes are done anyway,
    /// and its waiting requests are dropped.
    private static let closingMilliseconds: UInt64 = 5_000

    /// Ends a session: its client is gone. Its on-disconnect writes are done, after the requests that they overlap.
    mutating func close(_ session: SessionID) {
        guard coordination.forwarded.contains(session) || sessions.haveRequestsWaiting(of: session)
        else { return endInTurn(session) }
        sometimes(.clientLeavesUndecided)
        sessions.leave(session)
        coordination.forwarded.limit(
            session, until: now.elapsedMilliseconds + Replica.closingMilliseconds)
        // After the writes that wait for their share of a turn.
        if sessions.due.contains(session) { return }
        let locations = sessions.disconnects.locations(of: session)
        if !locations.contains(where: { isBlocked($0, for: session) }) {
            write(permitted(sessions.takeDisconnects(of: session)))
        }
    }

    /// Ends a session whose client is gone once none of its transactions is undecided, and no request of it waits.
    mutating func continueClosing(_ session: SessionID) {
        guard sessions.leaving.contains(session), !coordination.forwarded.contains(session),
            !sessions.haveRequestsWaiting(of: session)
        else { return }
        finishClosing(session)
    }

    /// Ends a session, whose on-disconnect writes wait for the next turn if this one has spent its units.
    private mutating func endInTurn(_ session: SessionID) {
        guard !sessions.ending.isEmpty || sessions.shares.isTurnSpent,
            sessions.disconnects.byteCount(of: session) > 0
        else { return finishClosing(session) }
        sessions.leave(session)
        sessions.ending.append(session)
    }

    /// Ends sessions that have waited for a turn, until its units are used up; at least one.
    mutating func endWaitingSessions() {
        if sessions.ending.isEmpty { return }
        var count = 0
        while count < sessions.ending.count, count == 0 || !sessions.shares.isTurnSpent {
            continueClosing(sessions.ending[count])
            count += 1
        }
        sessions.ending.removeFirst(count)
    }

    private mutating func finishClosing(_ session: SessionID) {
        replication.largeOperations.dropConfirmations(of: session)
        write(permitted(sessions.close(session)))
        sessions.access.forget(session)
    }

    /// Ends a session whose client is gone at once, as the driver gives its number to another one.
    mutating func endLeaving(_ session: SessionID) {
        guard sessions.leaving.contains(session) else { return }
        coordination.forwarded.removeAll(of: session)
        serveDue(of: session, spending: .max)
        if sessions.leaving.contains(session) { finishClosing(session) }
    }
}

// MARK: - Locations

extension Sessions {
    /// The locations that a request reads or writes.
    fileprivate func locations(of message: ClientMessage, in session: SessionID) -> [Path] {
        guard case .unlisten(let unlisten) = message.request else {
            return message.request.locations
        }
        return location(ofListen: unlisten.listen, in: session)
    }

    /// Whether a request begins a listen, or ends one that has begun.
    ///
    /// Neither need wait: the listen shows the transaction once it is decided. A refusal would end the listen for good.
    fileprivate func isListenOrItsEnd(_ message: ClientMessage, of session: SessionID) -> Bool {
        switch message.request {
        case .listen: true
        case .unlisten(let unlisten):
            listens.contains(Listens.Listener(session: session, id: unlisten.listen))
        default: false
        }
    }

    /// The location of a listen that is active or waits.
    private func location(ofListen id: UInt64, in session: SessionID) -> [Path] {
        let listener = Listens.Listener(session: session, id: id)
        let location =
            listens.listen(of: listener)?.path ?? waiting.location(ofListen: id, of: session)
        return location.map { [$0] } ?? []
    }
}

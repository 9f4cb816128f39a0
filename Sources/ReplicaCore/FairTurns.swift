import DataTree
import Marks
import Rules
import SyncProtocol

// How a turn shares its work among sessions: what exceeds a session's share waits, and later turns serve the sessions in turn.

extension Replica {
    /// Whether a further turn has work to do without any input; a driver then begins it soon.
    ///
    /// Requests wait for their share of a turn, indexes are being built, conditions are compared by hashes, operations of many writes do not show yet, or the digest
    /// of the tree is being computed.
    public var hasDueWork: Bool {
        !sessions.due.isEmpty || sessions.listens.hasUnrequestedBuilds || hasLargeOperations
            || replication.tree.digest == nil || comparisons.hasDueWork
            || coordination.isComparing || presence.hasMore || !sessions.ending.isEmpty
    }

    /// The units of work for clients in the open turn so far; a unit takes about a microsecond.
    public var turnUnits: Int { sessions.shares.spent }

    /// Serves the requests of one frame, in order.
    mutating func serve(_ frame: [UInt8], for session: SessionID) {
        endLeaving(session)
        sessions.disconnects.hear(session, at: now.elapsedMilliseconds)
        guard permitsRequests(of: session), sessions.shares.permitsFrame(of: frame.count) else {
            return awaitShare(.frame(frame, from: nil), of: session)
        }
        let rest = serve(frame, from: nil, for: session, within: .shareOfArrivals)
        postponeArrived(rest, of: session)
    }

    /// Serves requests of a session of values, in order.
    mutating func serve(_ messages: [ClientMessage], for session: SessionID) {
        // The session has ended, and the driver did not know it yet.
        guard sessions.isOfValues(session), !sessions.leaving.contains(session)
        else { return sessions.countRefusal() }
        for message in messages {
            if let error = message.request.failure {
                sessions.refuse(.invalid, error.problem, fix: error.fix, message.id, session)
            } else {
                serveOrQueue(message, for: session)
            }
        }
    }

    private mutating func serveOrQueue(_ message: ClientMessage, for session: SessionID) {
        guard permitsRequests(of: session) else {
            return awaitShare(.request(message, after: nil), of: session)
        }
        let work = DueRequests.Work.request(message, after: nil)
        postponeArrived(serve(work, for: session, within: .shareOfArrivals), of: session)
    }

    /// Has what is left of requests that have just arrived wait.
    private mutating func postponeArrived(_ rest: Rest, of session: SessionID) {
        if rest.works.isEmpty { return }
        if rest.need == nil { sessions.limits.count(.share) }
        postpone(rest, of: session, by: sessions.access.principal(of: session))
    }

    /// Whether requests that arrive are served at once: none waits before them, and their session has not used its share.
    private mutating func permitsRequests(of session: SessionID) -> Bool {
        if sessions.due.contains(session) { return false }
        sessions.shares.enter(session)
        return sessions.shares.permitsRequest
    }

    /// Has requests wait for their session's share, behind those that wait already.
    private mutating func awaitShare(_ work: DueRequests.Work, of session: SessionID) {
        if let shortage = sessions.due.shortage(for: session) {
            sometimes(.tooManyRequestsAwaitShare)
            return refuse(work, of: session, because: shortage)
        }
        sometimes(.requestAwaitsShare)
        sessions.limits.count(.share)
        sessions.delayReassurance(at: now.elapsedMilliseconds)
        sessions.awaitShare(work, of: session)
    }

    private mutating func refuse(
        _ work: DueRequests.Work, of session: SessionID, because failure: RequestFailure
    ) {
        switch work {
        case .request(let message, _): sessions.refuse(failure, message.id, session)
        case .frame(let frame, _):
            let messages = (try? FrameReader<ClientMessage>.messages(in: frame)) ?? []
            for case .message(let message) in messages {
                sessions.refuse(failure, message.id, session)
            }
        }
    }
}

// MARK: - Requests that wait

extension Replica {
    /// Serves sessions whose requests wait, one after the other, until the turn's units are used up.
    mutating func serveDue() {
        endWaitingSessions()
        if !sessions.due.isEmpty {
            let ring = sessions.due.ring
            let end = sessions.shares.spent + sessions.shares.unitsForWaiting
            let share = sessions.shares.share(of: ring.count)
            var served = 0
            while served < ring.count, sessions.shares.spent < end {
                serveDue(of: ring[served], spending: min(share, end - sessions.shares.spent))
                served += 1
            }
            sessions.due.moveToEnd(ring[..<served])
        }
        sessions.reassureWaiting(at: now.elapsedMilliseconds)
        sessions.continueBuilds(seeing: replication.view)
        let tree = value
        sessions.hashes.removeStale(at: now.elapsedMilliseconds) { path, known in
            !tree[path].isShared(with: known)
        }
        replication.turn.immediate.append(all: sessions.due.takeOutputs())
        replication.turn.immediate.append(
            all: sessions.pauses.takeOutputs(at: now.elapsedMilliseconds))
    }

    /// Serves the requests of a session that wait for its share, until they have used some units.
    mutating func serveDue(of session: SessionID, spending units: Int) {
        guard sessions.due.contains(session) else { return continueClosing(session) }
        sessions.disconnects.hear(session, at: now.elapsedMilliseconds)
        sessions.shares.enter(session)
        let (end, overflows) = sessions.shares.spent.addingReportingOverflow(units)
        let last = overflows ? .max : end
        while sessions.shares.spent < last {
            if let need = sessions.due.need(of: session) {
                guard prepare(need, of: session, spending: last - sessions.shares.spent)
                else { break }
                sessions.due.setNeed(nil, of: session)
            }
            guard let waiting = sessions.due.removeFirst(of: session) else { break }
            serve(waiting, for: session, within: .units(through: last))
        }
        sessions.due.endIfEmpty(session)
        continueClosing(session)
    }

    /// Does all writes that wait for their share, before the last turn ends; reads are dropped.
    mutating func serveAllDue() {
        sessions.dropsReads = true
        while !sessions.due.isEmpty {
            for session in sessions.due.ring {
                sessions.due.setNeed(nil, of: session)
                serveDue(of: session, spending: .max)
            }
            // Further requests may wait for those among them.
            completeLargeOperations()
        }
    }

    /// Serves requests on behalf of the user that sent them.
    private mutating func serve(
        _ waiting: DueRequests.Waiting, for session: SessionID, within allowance: Allowance
    ) {
        let principal = sessions.access.principal(of: session)
        let isSame = principal == waiting.principal
        if !isSame { _ = sessions.access.identify(session, as: waiting.principal) }
        let rest = serve(waiting.work, for: session, within: allowance)
        // Checks a new listen with the client's present identity.
        if !isSame { identify(session, as: principal) }
        if rest.works.isEmpty { return }
        postpone(rest, of: session, by: waiting.principal)
    }

    /// Has what is left of some requests wait before everything else that waits in their session.
    private mutating func postpone(
        _ rest: Rest, of session: SessionID, by principal: Principal
    ) {
        sometimes(rest.need?.index == nil ? .requestAwaitsShare : .requestAwaitsIndex)
        sessions.delayReassurance(at: now.elapsedMilliseconds)
        sessions.due.prepend(rest.works.map { .init($0, by: principal) }, of: session)
        sessions.due.setNeed(rest.need, of: session)
    }
}

// MARK: - Serving within a share

extension Replica {
    /// The work that requests may do in this turn.
    private enum Allowance {
        /// The share of a session for requests as they arrive.
        case shareOfArrivals
        /// For requests that have waited, until the turn has spent so many units.
        case units(through: Int)

        func permitsRequest(after shares: TurnShares) -> Bool {
            switch self {
            case .shareOfArrivals: shares.permitsRequest
            case .units(let last): shares.spent < last
            }
        }
    }

    /// The remaining requests of a session: its share is used up, or the first one needs further work.
    private struct Rest {
        var works: [DueRequests.Work] = []
        var need: RequestNeed?
    }

    /// The reason why a request is not served yet.
    private enum Delay {
        case share
        case need(RequestNeed)

        var need: RequestNeed? { if case .need(let need) = self { need } else { nil } }
    }

    /// Serves requests until a share is used up.
    private mutating func serve(
        _ work: DueRequests.Work, for session: SessionID, within allowance: Allowance
    ) -> Rest {
        switch work {
        case .frame(let frame, let start):
            return serve(frame, from: start, for: session, within: allowance)
        case .request(let message, let decidedTime):
            if sessions.refuseIfAnswersWait(message.id, session) { return Rest() }
            let delay = serve(message, for: session, after: decidedTime, within: allowance)
            return delay.map { Rest(works: [work], need: $0.need) } ?? Rest()
        }
    }

    /// Serves the requests of a frame until a share is used up.
    private mutating func serve(
        _ frame: [UInt8], from start: Int?, for session: SessionID,
        within allowance: Allowance
    ) -> Rest {
        var rest = Rest()
        frame.withUnsafeBytes { bytes in
            do throws(FrameError) {
                var requests = try FrameReader<ClientMessage>(bytes, from: start)
                requests.readWhile { request in
                    if request.id == 0 {
                        sessions.shares.spend(TurnShares.requestUnits)
                        sessions.refuse(.zeroRequestID, 0, session)
                        return allowance.permitsRequest(after: sessions.shares)
                    }
                    if let delay = serve(request, for: session, after: nil, within: allowance) {
                        rest = Rest(
                            works: [.request(request, after: nil)], need: delay.need)
                        return false
                    }
                    return allowance.permitsRequest(after: sessions.shares)
                } refused: { id, error in
                    sessions.shares.spend(TurnShares.requestUnits)
                    sessions.refuse(error.code, error.problem, fix: error.fix, id ?? 0, session)
                    return allowance.permitsRequest(after: sessions.shares)
                }
                let end = requests.nextStart ?? frame.count
                sessions.shares.spend(requestBytes: end - (start ?? 0))
                if end < frame.count { rest.works.append(.frame(frame, from: end)) }
            } catch {
                sessions.refuse(error.code, error.problem, fix: error.fix, 0, session)
            }
        }
        return rest
    }

    /// Serves a request, and does the work that it needs if the session's share is large enough for that.
    ///
    /// - Returns: The reason why the request is not served yet; nil if it is served.
    private mutating func serve(
        _ message: ClientMessage, for session: SessionID, after decidedTime: HybridTime?,
        within allowance: Allowance
    ) -> Delay? {
        if case .shareOfArrivals = allowance, sessions.shares.isTurnSpent,
            hasLargeAnswer(message, for: session)
        {
            return .share
        }
        while let need = serve(message, for: session, after: decidedTime) {
            guard allowance.permitsRequest(after: sessions.shares),
                prepare(need, of: session, spending: sessions.shares.firstUnits)
            else { return .need(need) }
        }
        return nil
    }

    /// Whether the answer to a request is encoded, and large.
    private func hasLargeAnswer(_ message: ClientMessage, for session: SessionID) -> Bool {
        guard !sessions.isOfValues(session), let path = message.readPath else { return false }
        return value[path].isLarger(than: TurnShares.largeAnswerBytes)
    }

    /// Does a slice of the work that the first request of a session needs; returns whether it is complete.
    private mutating func prepare(
        _ need: RequestNeed, of session: SessionID, spending units: Int
    ) -> Bool {
        switch need {
        case .index(let index):
            sessions.build(index, spending: units, seeing: replication.view)
        case .hash: sessions.continueHashCheck(of: session, spending: units)
        }
    }
}

extension ClientMessage {
    /// The location of which a read shows everything; nil of other requests.
    fileprivate var readPath: Path? {
        switch request {
        case .get(let get): get.path
        case .listen(let listen): listen.path
        default: nil
        }
    }
}

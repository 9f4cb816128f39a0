import DataTree
import QueryEngine
import ReplicaCore
import Rules
import SyncProtocol

/// Checks the decisions of a node's process by a naive evaluation of rules: each request with the
/// node's tree, rules and clock when it was processed, and each listen after every step.
struct AccessWatch {
    /// A listen that the node has accepted.
    struct Listen {
        let path: Path
        let query: Query
        /// The data that its client has received; nil before the first change.
        var told: Value?
        /// Its client is no longer permitted to listen.
        var isRevoked = false
        /// The last tree that it was allowed to see, if that is known exactly.
        var lastTree: Value?
    }

    /// A request without an answer.
    struct Asked {
        let request: ClientRequest
        /// Nil if that depends on the key that the node makes.
        let isAllowed: Bool?
    }

    struct Session {
        var identity: UserIdentity
        var listens: [UInt64: Listen] = [:]
        var asked: [UInt64: Asked] = [:]
        /// The listens that the node has ended.
        var ended: Set<UInt64> = []
        /// The on-disconnect writes of the session; nil if they are not known.
        var left: [Write]? = []
        /// Whether its node holds back what it listens to, now or in this turn.
        var isBehind = false
        /// The same at the end of the last turn.
        var wasBehind = false
        /// Its client is silent: its node ends its listens when it notices that.
        var isSilent = false
    }

    let name: String
    var tally = CheckTally()
    var sessions: [SessionID: Session] = [:]
    /// Whether each request on a connection was denied that has an answer, of sessions that have ended, too.
    var denials: [SessionID: [Bool]] = [:]
    var attributions = AttributionWatch()
    /// Several operations were applied in one step of this turn: what there was in between is not known.
    private var isVague = false

    init(_ name: String) { self.name = name }

    /// Forgets the sessions of a process that has ended.
    mutating func restart() {
        (sessions, denials, isVague) = ([:], [:], false)
        attributions.restart()
    }

    mutating func report(_ check: Check, _ session: SessionID, _ problem: @autoclosure () -> String)
    {
        guard tally.failures[check] == nil else { return }
        tally.report(check, "\(name), session \(session.number): \(problem())")
    }

    // MARK: Steps

    /// The client of a session becomes silent, and its connection stays.
    mutating func silence(_ session: SessionID) { sessions[session]?.isSilent = true }

    /// Judges a step.
    ///
    /// - Parameter mayBe: The identities that the client may have, by its credentials; nil if they
    ///   do not matter.
    mutating func check(
        _ event: AccessEvent, _ history: RulesHistory, mayBe: (SessionID) -> [UserIdentity]?
    ) {
        if !event.isSingle { isVague = true }
        noteAttribution(event, history)
        switch event.kind {
        case .identified(let session, let identity):
            sessions[session, default: Session(identity: identity)].identity = identity
            judgeListens(of: session, event, history)
        case .requested(let session, let message):
            check(message, of: session, event, history, mayBe(session))
            judgeListens(event, history)
        case .closed(let session):
            judgeEnd(of: session, event, history)
            sessions[session] = nil
            judgeListens(event, history)
        case .other: judgeListens(event, history)
        }
        judgeSilence(event, history)
    }

    /// Ends a turn: no listen remains whose data its client may no longer see.
    ///
    /// - Parameters:
    ///   - isToConnectAgain: Whether the replica has ended a session, whose client does not know it yet.
    ///   - hasListen: Whether the replica still has a listen.
    ///   - isSlow: Whether the replica holds back what a session listens to.
    mutating func endTurn(
        isExempt: Bool, isSlow: (SessionID) -> Bool, isToConnectAgain: (SessionID) -> Bool,
        hasListen: (SessionID, UInt64) -> Bool
    ) {
        for session in sessions.keys.sorted() {
            let isSlow = isSlow(session)
            let wasBehind = sessions[session]?.wasBehind ?? false
            sessions[session]?.isBehind = isSlow || wasBehind
            sessions[session]?.wasBehind = isSlow
        }
        // Administrators are not judged, and their frames may have several requests.
        for session in sessions.keys.sorted() where sessions[session]?.identity != .administrator {
            if sessions[session]?.isSilent ?? true || isToConnectAgain(session) { continue }
            for (id, listen) in sessions[session]?.listens.sorted(by: { $0.key < $1.key }) ?? [] {
                let isThere = hasListen(session, id)
                if listen.isRevoked, isThere {
                    report(
                        .readsAreAllowed, session,
                        "its listen at \(listen.path) goes on, which the rules do not allow any more"
                    )
                }
                if !listen.isRevoked, !isThere {
                    if !isVague, !isExempt {
                        report(
                            .allowedIsAccepted, session,
                            "its listen at \(listen.path) was ended, which the rules allow")
                    }
                    sessions[session]?.listens[id]?.isRevoked = true
                }
            }
        }
        isVague = false
    }

    private mutating func judgeListens(_ event: AccessEvent, _ history: RulesHistory) {
        guard event.before.vector != event.after.vector else { return }
        for session in sessions.keys.sorted() { judgeListens(of: session, event, history) }
    }

    private mutating func judgeListens(
        of session: SessionID, _ event: AccessEvent, _ history: RulesHistory
    ) {
        guard let user = sessions[session]?.identity.auth else { return }
        let rules = history.rules(in: event.after.vector)
        for (id, listen) in sessions[session]?.listens.sorted(by: { $0.key < $1.key }) ?? []
        where !listen.isRevoked {
            tally.count(.readsAreAllowed)
            let mayRead =
                rules?.mayRead(
                    listen.path, listen.query, by: user, at: event.after.milliseconds,
                    in: event.after.tree) ?? false
            if mayRead { continue }
            sessions[session]?.listens[id]?.isRevoked = true
            sessions[session]?.listens[id]?.lastTree =
                event.isSingle && !isVague ? event.before.tree : nil
        }
    }
}

// MARK: - Requests

extension AccessWatch {
    private mutating func check(
        _ message: ClientMessage, of session: SessionID, _ event: AccessEvent,
        _ history: RulesHistory, _ mayBe: [UserIdentity]?
    ) {
        guard let identity = sessions[session]?.identity else { return }
        let request = message.request
        let intended = TimesProgram.intended(request) ?? request
        guard let isAllowed = isAllowed(intended, to: identity, event.before, history) else {
            if case .unlisten(let unlisten) = request {
                sessions[session]?.listens[unlisten.listen] = nil
            }
            if case .onDisconnectCancel(let cancel) = request {
                sessions[session]?.left?.removeAll { cancel.path.contains($0.path) }
            }
            if case .push = request {
                sessions[session]?.asked[message.id] = Asked(request: request, isAllowed: nil)
            }
            return
        }
        let check: Check = request.kind == .read ? .readsAreAllowed : .writesAreAllowed
        if let mayBe, !mayBe.contains(identity) {
            report(
                check, session,
                "its request \(message.summary) counts as one of \(identity), and its client is \(mayBe)"
            )
        }
        sessions[session]?.asked[message.id] = Asked(request: request, isAllowed: isAllowed)
        if !isAllowed, event.made > 0 {
            report(check, session, "\(identity) may not do \(message.summary), which it did")
        }
        if let time = request.now, time > event.before.milliseconds, event.made > 0 {
            report(
                check, session,
                "its request \(message.summary) shows the rules the time \(time), before its node's clock shows that"
            )
        }
        guard isAllowed else { return }
        switch request {
        case .listen(let listen):
            sessions[session]?.listens[message.id] = Listen(path: listen.path, query: listen.query)
        case .onDisconnect(let put):
            sessions[session]?.left?.removeAll { put.path.contains($0.path) }
            sessions[session]?.left?.append(Write(path: put.path, value: put.value))
            if event.isExempt { sessions[session]?.left = nil }
        default: break
        }
    }

    /// Whether the rules allow a request; nil for one that they do not concern.
    func isAllowed(
        _ request: ClientRequest, to identity: UserIdentity, _ moment: AccessMoment,
        _ history: RulesHistory
    ) -> Bool? {
        let reads: (Path, Query)?
        var writes: [Write] = []
        switch request {
        case .get(let get): reads = (get.path, get.query)
        case .children(let children): reads = (children.path, Query())
        case .listen(let listen): reads = (listen.path, listen.query)
        case .put(let put): (reads, writes) = (nil, [Write(path: put.path, value: put.value)])
        case .onDisconnect(let put):
            (reads, writes) = (nil, [Write(path: put.path, value: put.value)])
        case .merge(let merge):
            reads = nil
            writes = merge.writes.map {
                Write(path: merge.path.appending($0.path), value: $0.value)
            }
        case .push: reads = nil
        default: return nil
        }
        guard let user = identity.auth else { return true }
        guard let rules = history.rules(in: moment.vector) else { return false }
        if let (path, query) = reads {
            return rules.mayRead(path, query, by: user, at: moment.milliseconds, in: moment.tree)
        }
        func mayWrite(_ writes: [Write]) -> Bool {
            rules.mayWrite(
                writes, by: user, at: request.now ?? moment.milliseconds, in: moment.tree)
        }
        guard case .push(let push) = request else { return mayWrite(writes) }
        // Which key the node makes is not known: it decides nothing in most rules.
        let verdicts = AccessWatch.pushed.map { key in
            mayWrite([Write(path: push.path.appending(key), value: push.value)])
        }
        return Set(verdicts).count == 1 ? verdicts[0] : nil
    }

    /// Keys as nodes make them.
    private static let pushed = [
        "-NxAbCdEfGhIjKlMnOpQ", "-OZ9_xx-u1c2edit0rS3", "-P-----0000000000zzz",
    ].map { Key(unchecked: $0) }

    /// Judges what a session's end writes: all that it has left, or what of it is allowed by itself.
    private mutating func judgeEnd(
        of session: SessionID, _ event: AccessEvent, _ history: RulesHistory
    ) {
        guard let identity = sessions[session]?.identity, let user = identity.auth,
            let left = sessions[session]?.left, !left.isEmpty, !event.isExempt
        else { return }
        let moment = event.before
        let due = permitted(left, of: user, moment, history)
        tally.count(.writesAreAllowed)
        for write in left where !due.contains(write) {
            if event.after.tree[write.path] != moment.tree[write.path] {
                report(
                    .writesAreAllowed, session,
                    "its end writes \(write.path), which \(identity) may not")
            }
        }
        for write in due {
            tally.count(.allowedIsAccepted)
            if event.after.tree[write.path] != write.value {
                report(
                    .allowedIsAccepted, session,
                    "its end does not write \(write.path), which \(identity) may")
            }
        }
    }

    /// Checks the writes of a step for silent clients: no write is done that the rules refuse.
    private mutating func judgeSilence(_ event: AccessEvent, _ history: RulesHistory) {
        // The order of several operations is not known.
        guard event.made == 1, event.isSingle, !event.isExempt else { return }
        for (session, silent) in sessions.sorted(by: { $0.key < $1.key }) where silent.isSilent {
            guard let user = silent.identity.auth, let left = silent.left else { continue }
            // No two writes of users have the same value.
            let done = left.filter {
                event.after.tree[$0.path] == $0.value && event.before.tree[$0.path] != $0.value
            }
            if done.isEmpty { continue }
            sessions[session]?.left = []
            tally.count(.writesAreAllowed)
            let due = permitted(left, of: user, event.before, history)
            guard let write = done.first(where: { !due.contains($0) }) else { continue }
            report(
                .writesAreAllowed, session,
                "its silence writes \(write.path), which \(silent.identity) may not")
        }
    }

    /// The permitted part of a session's on-disconnect writes: all, or each that is allowed by
    /// itself.
    private func permitted(
        _ left: [Write], of user: Claim, _ moment: AccessMoment, _ history: RulesHistory
    ) -> [Write] {
        let rules = history.rules(in: moment.vector)
        func isAllowed(_ writes: [Write]) -> Bool {
            rules?.mayWrite(writes, by: user, at: moment.milliseconds, in: moment.tree) ?? false
        }
        return isAllowed(left) ? left : left.filter { isAllowed([$0]) }
    }
}

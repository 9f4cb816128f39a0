import DataTree
import Marks
import SyncProtocol

// The requests of clients beyond their sessions.

extension Replica {
    /// Serves a request.
    ///
    /// - Parameter decidedTime: When the last transaction was decided that the request has waited for.
    /// - Returns: The work that has to be done first; nil if the request is served.
    mutating func serve(
        _ message: ClientMessage, for session: SessionID, after decidedTime: HybridTime? = nil
    ) -> RequestNeed? {
        sessions.shares.spend(TurnShares.requestUnits + message.writeCount)
        if let storageFailure, !sessions.canAnswer(message) {
            answerAtOnce(message, for: session, because: storageFailure)
        } else if lifecycle.isRejoining, message.request.needsMember {
            refuseWhileRejoining(message, for: session)
        } else if sessions.isForNobody(message, of: session)
            || delays(message, of: session, after: decidedTime)
        {
            return nil
        } else {
            let sentBytes = sessions.byteCount(for: session)
            let answerCount = sessions.requests.answerCount
            sessions.requests.recordService(of: message, session)
            _ = sessions.access.takeSpentUnits()
            if !sessions.intercept(message, of: session, seeing: replication.view) {
                execute(Submission(session, message, after: decidedTime))
            }
            if sessions.requests.answerCount == answerCount {
                sessions.requests.recordWait(of: message, session)
            }
            let answerBytes = sessions.byteCount(for: session) - sentBytes
            sessions.unread.add(answerBytes)
            sessions.shares.spend(ruleUnits: sessions.access.takeSpentUnits())
            sessions.shares.spend(answerBytes: answerBytes)
        }
        return sessions.takeNeed(of: session)
    }

    /// While the disk accepts no writes, answers requests that show no data, and refuses the others.
    private mutating func answerAtOnce(
        _ message: ClientMessage, for session: SessionID, because failure: StorageFailure
    ) {
        let id = message.id
        let isUser = sessions.access.isUser(session)
        switch message.request {
        case .status where sessions.access.mayReadStatus(session):
            sessions.sendAtOnce(.value(id: id, value: statusValue(for: session)), to: session)
        case .ping: sessions.sendAtOnce(.pong(id, at: now), to: session)
        default: sessions.refuseAtOnce(isUser ? .asUsersSeeIt : failure, id, session)
        }
        replication.turn.immediate.append(all: sessions.takeImmediate())
    }

    /// This node, as the client of a session may know it: users learn no names of nodes.
    private func nodeName(for session: SessionID) -> String {
        sessions.access.isUser(session) ? "this node" : configuration.member
    }

    /// Refuses a request that an evicted node cannot serve yet.
    private mutating func refuseWhileRejoining(
        _ message: ClientMessage, for session: SessionID
    ) {
        if message.request.kind == .write { sessions.clients.haltIfGreeted(session) }
        let member = nodeName(for: session)
        if lifecycle.isRecovering {
            let awaited = lifecycle.awaited
            let missing =
                sessions.access.isUser(session) && !awaited.isEmpty
                ? "other nodes" : awaited.joined(separator: ", ")
            return sessions.refuse(
                .unavailable,
                "\(member) has started on an old disk and accepts no writes yet: it "
                    + (missing.isEmpty ? "fetches the data of the others" : "waits for \(missing)"),
                fix: "use another node, or start the missing ones", message.id, session)
        }
        let isAlone = replication.peers.liveCount(at: now.elapsedMilliseconds) == 0
        sessions.refuse(
            .unavailable,
            "\(member) was evicted from the cluster and has not rejoined yet: it "
                + (isAlone ? "reaches no other node" : "is fetching the data of the others"),
            fix: "use another node, or wait until \(member) has rejoined", message.id, session)
    }
}

// MARK: - Writes

extension Replica {
    mutating func put(
        _ put: PutRequest, for submission: Submission
    ) throws(RequestFailure) {
        let write = Write(path: put.path, value: put.value)
        if let condition = put.condition {
            return try transact(write, if: condition, named: put.stamp, for: submission)
        }
        let answer = NodeMessage.ok(id: submission.id)
        let name = StampedMoment(stamp: put.stamp, now: put.now)
        try self.write([write], name, answering: answer, for: submission)
    }

    mutating func push(
        _ push: PushRequest, for submission: Submission
    ) throws(RequestFailure) {
        let key = replication.identifiers.nextPushID(at: now.wallMilliseconds)
        let path = push.path.appending(key)
        // The decoder of the request has checked the path without the new key.
        if let failure = path.limitExceeded {
            throw RequestFailure(
                .invalid, "invalid path \(path): \(failure)", fix: "push to a shorter path")
        }
        let answer = NodeMessage.pushed(id: submission.id, key: key)
        let write = Write(path: path, value: push.value)
        try self.write([write], StampedMoment(), answering: answer, for: submission)
    }

    mutating func write(
        _ writes: [Write], _ name: StampedMoment, answering answer: NodeMessage,
        for submission: Submission
    ) throws(RequestFailure) {
        if name.stamp != nil {
            guard try isAdmitted(name, for: submission) else { return }
        } else {
            try sessions.checkHalted(submission.session)
        }
        try checkLimits(of: writes)
        let milliseconds = name.now ?? now.wallMilliseconds
        let timed = writes.resolvingTimestamps(at: name.now)
        do throws(DataError) {
            if name.stamp != nil { try Acceptance.check(stamped: timed) }
        } catch {
            throw RequestFailure(error)
        }
        let resolved = try resolve(timed)
        try checkRules(timed, as: resolved, of: submission.session, at: milliseconds)
        // A native client has an answer of its own for this, and repeats a write with its stamp.
        if resolved.isEmpty, writes.count == 1, sessions.isOfValues(submission.session) {
            throw .priorityOfNothing(at: writes[0].path)
        }
        let attribution = sessions.access.attribution(of: submission.session)
        accept(resolved: resolved, stamp: name.stamp, for: attribution)
        sessions.disconnects.noteWrite(of: submission.session, at: replication.clock.last)
        if resolved.count > configuration.limits.writesAtOnce {
            let confirmation = LargeOperations.Confirmation(submission: submission, answer: answer)
            replication.largeOperations.confirmLast(by: confirmation)
        } else {
            confirm(submission, with: answer)
        }
    }

    /// Resolves what depends on this moment.
    private func resolve(_ writes: [Write]) throws(RequestFailure) -> [Write] {
        do throws(DataError) {
            return try Acceptance.resolveServerValues(writes, seeing: replication.view)
        } catch {
            throw RequestFailure(error)
        }
    }

    /// Makes an operation of a client's writes.
    ///
    /// The operation remembers the client's name for the writes, even if they change nothing, such as the priority
    /// of a location without a value. Without it, a repetition would take effect after later writes.
    private mutating func accept(
        resolved: [Write], stamp: Stamp? = nil, alias: Stamp? = nil, for attribution: Attribution?
    ) {
        if resolved.isEmpty, stamp == nil, alias == nil { return }
        accept(resolved, stamp: stamp, alias: alias, for: attribution)
    }

    /// Whether to do a write with this stamp now; if it is done already, its client is answered.
    private mutating func isAdmitted(
        _ name: StampedMoment, for submission: Submission
    ) throws(RequestFailure) -> Bool {
        guard let stamp = name.stamp else { return true }
        let node = nodeName(for: submission.session)
        switch replication.admission(of: stamp, now: name.now, at: node) {
        case .notOfClient: throw .writerOfNode(stamp.writer)
        case .done:
            sometimes(.writeIsAskedAgain)
            replication.counters.repeated += 1
            sessions.clients.admit(submission.session)
            // This node does not know on which other nodes the write is durable.
            let id = submission.id
            sessions.send(
                submission.concern == nil ? .ok(id: id) : .acknowledged(id: id, concern: .local),
                to: submission.session)
            return false
        case .admitted:
            if sessions.clients.isHalted(submission.session) {
                throw halt(submission.session, at: stamp, because: Sessions.haltedProblem)
            }
            guard let decided = submission.decidedTime, stamp.time <= decided else { return true }
            sometimes(.stampIsOlderThanDecision)
            throw halt(
                submission.session, at: stamp,
                because: "a transaction that this client sent before was decided after the stamp")
        case .refused(let problem):
            sometimes(.stampComesTooLate)
            let isHalted = sessions.clients.isHalted(submission.session)
            throw halt(
                submission.session, at: stamp, because: isHalted ? Sessions.haltedProblem : problem)
        }
    }

    /// Refuses a stamp, and all later writes of its session until the next hello: of a client's writes, a node
    /// does a prefix.
    private mutating func halt(
        _ session: SessionID, at stamp: Stamp, because problem: String
    ) -> RequestFailure {
        let isDecided = replication.isDecided(stamp)
        sessions.clients.halt(session, isDecided: isDecided)
        return isDecided
            ? RequestFailure(
                .late, problem, fix: "send \"hello\", then the write with a new stamp")
            : RequestFailure(
                .undecided, problem,
                fix: "send \"hello\", then the write again with the same stamp")
    }

    /// Answers a write that is done, once it is as durable as its client requires.
    mutating func confirm(_ submission: Submission, with answer: NodeMessage) {
        guard let concern = submission.concern else {
            return sessions.send(answer, to: submission.session)
        }
        let waits = sessions.answer(
            submission.id, once: concern, for: submission.session, after: vector[writer], at: now,
            within: submission.patienceMilliseconds)
        if waits { replication.turn.asksForHeartbeats = true }
    }
}

extension RequestFailure {
    /// The refusal of a priority for a location without a value, as Firebase refuses `setPriority` there.
    fileprivate static func priorityOfNothing(at path: Path) -> RequestFailure {
        RequestFailure(
            .invalid, "\(path.parent ?? .root) has no value, so it cannot have a priority",
            fix: "write the value with its priority: {\".value\": …, \".priority\": …}")
    }
}

// MARK: - Transactions

extension Replica {
    /// Does a conditional put: the coordinator decides it, unless the client requests a local decision or there
    /// are no other nodes.
    private mutating func transact(
        _ write: Write, if condition: Condition, named name: Stamp?, for submission: Submission
    ) throws(RequestFailure) {
        try sessions.checkHalted(submission.session, isNamed: name != nil)
        // The rules judge the times that are stored, though another node stores them later.
        let write = write.resolvingTimestamps(at: now.wallMilliseconds)
        if let name, !replication.isClient(name.writer) { throw .writerOfNode(name.writer) }
        // An executed write is acknowledged again, without another check of the rules.
        if name.map({ replication.deduplicationTable.answer(for: $0) }) == .done {
            sessions.clients.admit(submission.session)
        } else {
            // Once, though it is served again when its comparison is complete.
            if sessions.hashChecks[submission.session]?.requestID != submission.id {
                try checkLimits(of: [write])
            }
            try checkRules(write, of: submission.session)
        }
        do throws(DataError) {
            try write.value.validate(at: write.path)
        } catch {
            throw RequestFailure(error)
        }
        // No value has such a hash, and messages between nodes have no room for it.
        guard condition.hash.isPossible else { throw .changed(at: write.path) }
        if condition.isLocal || replication.peers.all.isEmpty {
            return try decideHere(write, if: condition.hash, named: name, for: submission)
        }
        try coordination.forward(
            write, if: condition, named: name ?? replication.nextStamp(), for: submission,
            of: sessions.access.attribution(of: submission.session), at: now)
    }

    /// Decides a conditional put by this replica's tree.
    private mutating func decideHere(
        _ write: Write, if condition: DataHash, named name: Stamp?, for submission: Submission
    ) throws(RequestFailure) {
        let answer = NodeMessage.ok(id: submission.id)
        switch name.map({ replication.deduplicationTable.answer(for: $0) }) {
        case .done?:
            replication.counters.repeated += 1
            return confirm(submission, with: answer)
        case .forgotten?: throw .forgottenTransaction
        case .notDone?, nil: break
        }
        let check = sessions.hashCheck(
            for: submission.id, submission.session, condition, with: value[write.path],
            at: write.path, isRounded: true)
        guard let check else { return }
        guard check.isMet(by: value[write.path]) else { throw .changed(at: write.path) }
        let attribution = sessions.access.attribution(of: submission.session)
        accept(resolved: try resolve([write]), alias: name, for: attribution)
        confirm(submission, with: answer)
    }
}

// MARK: - The end of a session

extension Replica {
    /// Does the on-disconnect writes of a closed session as one operation; a node that rejoins does it
    /// afterwards.
    mutating func write(_ left: PermittedWrites, stamp: Stamp? = nil) {
        if left.writes.isEmpty, left.record == nil { return }
        if lifecycle.isRejoining { return lifecycle.postpone(left) }
        var resolved: [Write] = []
        do throws(RequestFailure) {
            resolved = try resolve(left.writes)
        } catch {
            sessions.countRefusal()
        }
        let removed = left.record.map { [DisconnectRecord($0, nil)] } ?? []
        if resolved.isEmpty, removed.isEmpty { return }
        accept(
            resolved, stamp: stamp ?? stampOfEnd(), for: left.attribution,
            recording: removed)
    }
}

extension RequestFailure {
    /// A request with the ID of the sign of life, `["ok", 0]`, which would look like its answer.
    static let zeroRequestID = RequestFailure(
        .invalid, "a request cannot have the ID 0", fix: "begin with the ID 1")

    /// The failure of a write that is no data.
    fileprivate init(_ error: DataError) {
        self.init(.invalid, error.problem, fix: error.fix)
    }

    fileprivate static func writerOfNode(_ writer: WriterID) -> RequestFailure {
        RequestFailure(
            .invalid, "\(writer) is the writer of a node",
            fix: "choose another random number for this client")
    }

    static func installing(at member: String) -> RequestFailure {
        RequestFailure(
            .unavailable, "\(member) is taking over the data of another node",
            fix: "use another node, or try again in a moment")
    }
}

extension ClientMessage {
    /// The number of writes that the request has, beyond the only one of most requests.
    fileprivate var writeCount: Int {
        switch request {
        case .merge(let merge): merge.writes.count
        case .onDisconnectMerge(let merge): merge.writes.count
        default: 0
        }
    }
}

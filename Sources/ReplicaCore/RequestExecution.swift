import DataTree
import SyncProtocol

// The execution of each request. The session answers most requests from its own state and the tree.

extension Replica {
    /// Executes a request that its session and its user may make, and answers it.
    mutating func execute(_ submission: Submission) {
        do throws(RequestFailure) {
            try execute(submission.message.request, submission)
        } catch {
            sessions.refuse(error, submission.id, submission.session)
        }
    }

    private mutating func execute(
        _ request: ClientRequest, _ submission: Submission
    ) throws(RequestFailure) {
        let (id, session) = (submission.id, submission.session)
        if request.kind == .report, sessions.refuseIfOverloaded(id, session) { return }
        switch request {
        case .put(let put): try self.put(put, for: submission)
        case .merge(let merge):
            let name = StampedMoment(stamp: merge.stamp, now: merge.now)
            let writes = merge.writes.below(merge.path)
            try write(writes, name, answering: .ok(id: id), for: submission)
        case .push(let push): try self.push(push, for: submission)
        case .get, .children: sessions.read(request, id, session, in: replication.view)
        case .listen(let listen): sessions.listen(listen, id, session, in: replication.view)
        case .unlisten(let unlisten): sessions.unlisten(unlisten.listen, id, session)
        case .onDisconnect(let put):
            let write = Write(path: put.path, value: put.value)
            sessions.addDisconnect([write], id, session, at: now)
        case .onDisconnectMerge(let merge):
            sessions.addDisconnect(merge.writes.below(merge.path), id, session, at: now)
        case .onDisconnectCancel(let cancel):
            sessions.disconnects.cancel(at: cancel.path, for: session)
            sessions.send(.ok(id: id), to: session)
        case .hello(let hello): sessions.greet(hello.seen, id, session, seeing: replication.view)
        case .awaitStable(let wait):
            sessions.awaitStable(within: wait.milliseconds, id, session, seeing: replication.view)
        case .ping: sessions.send(.pong(id, at: now), to: session)
        case .status: sessions.send(.value(id: id, value: statusValue(for: session)), to: session)
        case .coverage(let request):
            sessions.send(.value(id: id, value: count(request.action).value), to: session)
        case .rulesHistory:
            sessions.send(.value(id: id, value: rulesHistoryReport.value), to: session)
        case .evict(let evict): try self.evict(evict, for: submission)
        case .backup(let backup): try self.backUp(to: backup.name, for: submission)
        case .rules: sessions.send(.value(id: id, value: rulesReport), to: session)
        case .setRules(let request): try setRules(request, for: submission)
        case .explain(let request):
            let verdict = try verdict(on: request)
            sessions.send(.value(id: id, value: verdict.value), to: session)
        case .writes(let request): try readLog(beyond: request.held, for: submission)
        case .why(let request):
            try readLog(beyond: request.held, at: request.path, for: submission)
        }
    }

    private mutating func evict(
        _ evict: EvictRequest, for submission: Submission
    ) throws(RequestFailure) {
        if lifecycle.isInstalling { throw .installing(at: configuration.member) }
        try replication.evict(evict.member)
        sessions.send(.ok(id: submission.id), to: submission.session)
    }

    private mutating func backUp(
        to name: String, for submission: Submission
    ) throws(RequestFailure) {
        try sessions.beginBackup(name)
        replication.turn.published.append(
            .backUp(name: name, id: submission.id, for: submission.session))
    }
}

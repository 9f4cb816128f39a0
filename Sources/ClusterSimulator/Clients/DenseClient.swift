import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// An SDK client with a dense program: what it does, and what it must show.

extension SDKClient {
    mutating func nextDenseStep(tag: String, at now: Microseconds) -> DenseProgram.Step? {
        dense?.next(tag: tag, at: clock.milliseconds(at: now), &random)
    }

    mutating func endListen(_ listen: Int) {
        streams[listen].isOver = true
        if !streams[listen].query.isFiltered {
            mirror.endCover(at: streams[listen].path, streams)
        }
    }

    /// Removes a request with an outcome: from now on, only the data of the node show its effect.
    mutating func finishMirrored(_ request: UInt64, isDone: Bool) {
        mirror.finish(request, isDone: isDone, shown: streams)
    }

    /// The next request writes this, which its listeners see at once.
    mutating func showWrites(_ writes: [Write]) {
        mirror.write(writes, as: nextRequestNumber, shown: streams)
    }

    mutating func checkListeners(at now: Microseconds) {
        checkOrigins(at: now)
        for stream in streams where !stream.isOver {
            guard let expected = mirror.expected(of: stream, among: streams) else { continue }
            tally.count(.ownWritesShow)
            if stream.shown == expected { continue }
            tally.report(
                .ownWritesShow,
                "shows \(stream.shown.map(\.description) ?? "nothing") at \(stream.path) by "
                    + "\(stream.query.text) at \(now.description), and was told, with its own writes, "
                    + "\(expected)")
        }
    }

    // MARK: What it has seen

    /// A message to the node; a new session may give up what the client had seen.
    mutating func observeDense(_ message: ClientMessage, at now: Microseconds) {
        mirror.record(message)
        stampedWrites.record(message)
        judgeStamp(of: message, at: now)
        if let stamp = message.stamp, message.makesOperation { stamps[message.id] = stamp }
        guard case .hello(let hello) = message.request else { return }
        let before = session.number
        greet(seen: hello.seen, at: helloTime)
        if session.number != before { hasGivenUp = true }
    }

    /// A message of the node; returns the stamp of a write that it acknowledges.
    mutating func observeDense(_ message: NodeMessage, at now: Microseconds) -> Stamp? {
        let seen = mirror.seen
        session.receive(message)
        mirror.receive(message)
        if let problem = stampedWrites.check(message) { tally.report(.monotonicWrites, problem) }
        switch message {
        case .ready(_, let member, let wall, _, let holds):
            nodeClock = (wall, now / 1_000)
            tally.count(.clientsKeepWhatTheySaw)
            if !hasGivenUp, !holds.covers(seen) {
                tally.report(
                    .clientsKeepWhatTheySaw,
                    "had seen \(seen.line), and is served by \(member), which holds \(holds.line)")
            }
            hasGivenUp = false
            return nil
        case .ok(let id), .acknowledged(let id, _): return stamps.removeValue(forKey: id)
        case .error(_, .late, _, _), .error(_, .undecided, _, _), .error(_, .unavailable, _, _):
            // Some programs are gone before they have done what follows from that.
            let goes = dense.map { $0.remaining > 0 } ?? false
            if goes, random.index(below: 3) == 0 { hops = max(hops, 1) }
            return nil
        default: return nil
        }
    }
}

// MARK: - What it says

extension SDKClient {
    /// It says hello to a node.
    mutating func greet(seen: VersionVector, at now: Microseconds) {
        tally.count(.clientsKeepWhatTheySaw)
        if let problem = session.greet(seen: seen, at: now) {
            tally.report(.clientsKeepWhatTheySaw, problem)
        }
    }

    /// A stamp is not behind the clock of the node: the write would lose against earlier ones of others.
    private mutating func judgeStamp(of message: ClientMessage, at now: Microseconds) {
        // Those of earlier processes may be as old as these.
        guard let stamp = message.stamp, stamp.writer == writer, let (wall, since) = nodeClock,
            lastStamp.map({ $0.writer != writer || stamp > $0 }) ?? true
        else { return }
        lastStamp = stamp
        tally.count(.stampsAscend)
        let least = wall + now / 1_000 - since
        if stamp.time.milliseconds >= least { return }
        tally.report(
            .stampsAscend,
            "stamps a write by \(stamp) at \(now.description), when the clock of its node shows \(least)"
        )
    }
}

// MARK: - What it is told

extension SDKClient {
    /// A request ends with an unknown outcome only if the node could not tell of a write whether it is done.
    mutating func judgeUndecided(at now: Microseconds) {
        guard dense != nil, !stampedWrites.isUndecided else { return }
        tally.report(
            .refusalsHaveReasons,
            "was told at \(now.description) that nobody knows whether its write is done, and its node knew of all"
        )
    }
}

extension ClientMessage {
    /// Whether its node makes an operation of it: it may drop a priority of nothing, and the coordinator stamps transactions.
    fileprivate var makesOperation: Bool {
        switch request {
        case .put(let put): put.condition == nil && put.path.last != .priority
        case .merge(let merge): merge.writes.contains { $0.path.last != .priority }
        default: false
        }
    }
}

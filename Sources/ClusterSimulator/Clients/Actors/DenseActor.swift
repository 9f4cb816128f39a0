import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

// Dense programs: their steps, and the comparison of their data with the tree of their node.

extension SDKClient {
    mutating func actNextDense(in run: inout SimulatedRun) {
        let tag = "c\(index + 1)-\(run.now)"
        guard let step = nextDenseStep(tag: tag, at: run.now) else { return }
        execute(step, in: &run)
        if case .readsAgain = step {
            scheduleAct(within: SDKClient.hesitation, in: &run)
        } else {
            scheduleAct(in: &run)
        }
    }

    /// The delay until a client that reads again acts. Its node catches up turn by turn and may not
    /// have sent everything by then. Some clients stop again.
    private static let hesitation = TimeRange(100, 600)

    mutating func execute(_ step: DenseProgram.Step, in run: inout SimulatedRun) {
        if case .restarts(let isOrderly, let isOffline) = step {
            return restart(isOrderly: isOrderly, isOffline: isOffline, in: &run)
        }
        let overwritten = mirror.transactionsOverwritten(by: step.writes)
        let request = nextRequestNumber
        beginTurn(in: &run)
        if let input = input(for: step, in: &run) { send(input, in: &run) }
        judgeOverwritten(overwritten, by: request, at: run.now)
        judgePromptness()
        endTurn(in: &run)
        checkListeners(in: &run)
    }

    private mutating func input(for step: DenseProgram.Step, in run: inout SimulatedRun)
        -> ClientCore.Input?
    {
        switch step {
        case .asks(let work, let concern): return ask(work, concern, in: &run)
        case .transacts(let path, let visibility):
            mirror.transact(
                at: path, as: nextRequestNumber,
                beside: streams)
            let isShort = random.index(below: 3) == 0
            let milliseconds = SDKClient.transactionPatience / (isShort ? 20 : 1)
            run.record.history.transactions.append(
                TransactionRecord(client: index, path: path, invoked: run.now))
            return ask(
                .transact(path, visibility),
                as: .modification(run.record.history.transactions.count - 1),
                .limited(milliseconds: milliseconds), in: &run)
        case .listens(let path, let query):
            let listen = ListenID(number: UInt64(streams.count))
            mirror.begin(
                path, query, beside: streams)
            streams.append(
                EventStream(path: path, query: query, mayBePartial: true))
            return .listened(listen, path, query, .all)
        case .ends(let listen):
            endListen(listen)
            return .unlistened(ListenID(number: UInt64(listen)))
        case .goesOffline: return .wentOffline
        case .goesOnline: return .wentOnline
        case .leavesItsNode: return .leftNode
        case .purges: return .purged
        case .restarts: return nil
        case .hops(let count):
            hops = count
            return nil
        case .asksInvalid(let work): return ask(work, as: .invalid)
        case .buildsInvalidQuery:
            buildInvalidQuery()
            return nil
        case .stopsReading:
            guard let connection = self.connection else { return nil }
            mirror.lag(at: run.now)
            mirror.stayBehind(after: run.connections[connection].sentFrames)
            run.clog(connection: connection)
            return nil
        case .readsAgain:
            if let connection = self.connection { run.drain(connection: connection) }
            return nil
        }
    }

    /// A client leaves a node that has said something, and perhaps the next one.
    mutating func hop(from connection: Int?, in run: inout SimulatedRun) {
        guard hops > 0, self.connection == connection else {
            return
        }
        hops -= 1
        execute(.leavesItsNode, in: &run)
    }

    private mutating func ask(
        _ work: Request.Work, as open: SDKClient.Work, _ patience: Request.Patience,
        in run: inout SimulatedRun
    ) -> ClientCore.Input {
        limit(patience, at: run.now)
        return ask(work, as: open, patience: patience)
    }

    private mutating func ask(
        _ work: Request.Work, _ concern: WriteConcern?, in run: inout SimulatedRun
    ) -> ClientCore.Input {
        let patience = drawPatience(for: work)
        if case .get(let path, let query) = work {
            let expected = expectedAnswer(to: path, query)
            return ask(work, as: .read(expected), patience, in: &run)
        }
        if case .children(_, let first, let limit) = work {
            return ask(work, as: .listing(.init(first: first, limit: limit)), patience, in: &run)
        }
        if case .awaitStable = work {
            return ask(work, as: .stability(since: run.now))
        }
        let writes = work.denseWrites
        if writes.isEmpty { return ask(work, as: .other, patience, in: &run) }
        self.limit(patience, at: run.now)
        showWrites(writes)
        run.record.history.operations.append(
            ClientOperation(
                client: index, kind: .write(writes[0].path),
                fingerprint: Fingerprint(of: writes), invoked: run.now))
        let operation = run.record.history.operations.count - 1
        return ask(
            work, as: .operation(operation, wanted: concern), patience: patience, concern: concern)
    }

    /// The result of a transaction's function: the number plus one, or the other one of 1 and 2, so
    /// that the conditions of earlier transactions hold again. It aborts on a boolean.
    func modified(_ value: Value) -> TransactionResult {
        switch value.content {
        case .integer(let count) where count == 1 || count == 2: return .value(.integer(3 - count))
        case .integer(let count): return .value(DenseValues.successor(of: count))
        case .boolean: return .abort
        case .object:
            var new = value
            new.set(.integer(7), at: Path([Key(unchecked: "n")]))
            return .value(new)
        default: return .value(.integer(1))
        }
    }

    // MARK: Checks

    /// Checks that each listener shows the received data with the unanswered writes over it.
    mutating func checkListeners(in run: inout SimulatedRun) {
        guard program == .dense else { return }
        checkListeners(at: run.now)
    }

    /// Checks that the received data equal the node's tree at the end of the last frame.
    mutating func checkTold(in run: inout SimulatedRun) {
        guard mirror.isExact, let connection = self.connection,
            let state = run.record.recording.state(
                of: run.connections[connection].node,
                incarnation: run.connections[connection].incarnation,
                holding: mirror.seen)
        else { return }
        for (listen, told) in mirror.answeredListens {
            let shown = NaiveQuery(listen.query).shown(of: state.value[listen.path])
            tally.count(.queriesShowTheTree)
            if told == shown { continue }
            tally.report(
                .queriesShowTheTree,
                "was told at \(run.now.description) that \(listen.text) shows \(told), where "
                    + "n\(state.node + 1) shows \(shown)")
        }
    }

    mutating func noteCaughtUp(at node: Int, in run: inout SimulatedRun) {
        guard let connection, run.connections[connection].node == node else { return }
        guard !run.connections[connection].isClogged, let replica = run.nodes[node].replica,
            !replica.holdsBack(from: SimulatedRun.session(of: connection))
        else {
            let frames =
                run.connections[connection].sentFrames + run.connections[connection].unread.count
            return mirror.stayBehind(after: frames)
        }
        mirror.catchUp(at: replica.vector.total)
    }
}

extension DenseProgram.Step {
    /// What it writes.
    fileprivate var writes: [Write] {
        if case .asks(let work, _) = self { work.denseWrites } else { [] }
    }
}

extension Result<Answer, HearthError> {
    /// Whether a node has done the request: a function that aborts ends a transaction without one.
    var isDoneByNode: Bool {
        ClientOperation.Outcome(ofTransaction: self) == .acknowledged
    }
}

extension ClientMirror.Listen {
    fileprivate var text: String { query.isFiltered ? "\(path) by \(query.text)" : "\(path)" }
}

extension Request.Work {
    /// The writes of a put or an update, with whole paths.
    fileprivate var denseWrites: [Write] {
        switch self {
        case .put(let path, let value): [Write(path: path, value: value)]
        case .merge(let path, let writes):
            writes.map { Write(path: path.appending($0.path), value: $0.value) }
        default: []
        }
    }
}

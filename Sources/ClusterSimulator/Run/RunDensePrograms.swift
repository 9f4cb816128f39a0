import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

// Dense programs: what they do, and whether they are told and shown what is right.

extension SimulatedRun {
    mutating func actNext(dense number: Int) {
        let tag = "c\(sdkClients[number].index + 1)-\(now)"
        guard let step = sdkClients[number].nextDenseStep(tag: tag, at: now) else { return }
        perform(step, number)
        if case .readsAgain = step {
            scheduleAct(of: number, within: SimulatedRun.hesitation)
        } else {
            scheduleAct(of: number)
        }
    }

    /// How soon a client that has begun to read again acts: its node catches up turn by turn and may not have sent everything
    /// by then, and some clients stop again.
    private static let hesitation = TimeRange(100, 600)

    mutating func perform(_ step: DenseProgram.Step, _ number: Int) {
        if case .restarts(let isOrderly, let isOffline) = step {
            return restart(dense: number, isOrderly: isOrderly, isOffline: isOffline)
        }
        let overwritten = sdkClients[number].mirror.transactionsOverwritten(by: step.writes)
        let request = sdkClients[number].nextRequestNumber
        beginTurn(of: number)
        if let input = input(for: step, number) { tell(input, to: number) }
        sdkClients[number].judgeOverwritten(overwritten, by: request, at: now)
        sdkClients[number].judgePromptness()
        endTurn(of: number)
        checkListeners(of: number)
    }

    private mutating func input(for step: DenseProgram.Step, _ number: Int) -> ClientCore.Input? {
        switch step {
        case .asks(let work, let concern): return ask(work, concern, number)
        case .transacts(let path, let visibility):
            sdkClients[number].mirror.transact(
                at: path, as: sdkClients[number].nextRequestNumber,
                beside: sdkClients[number].streams)
            let isShort = sdkClients[number].random.index(below: 3) == 0
            let milliseconds = SDKClient.transactionPatience / (isShort ? 20 : 1)
            history.transactions.append(
                TransactionRecord(client: sdkClients[number].index, path: path, invoked: now))
            return ask(
                .transact(path, visibility), as: .modification(history.transactions.count - 1),
                .limited(milliseconds: milliseconds), number)
        case .listens(let path, let query):
            let listen = ListenID(number: UInt64(sdkClients[number].streams.count))
            sdkClients[number].mirror.begin(
                path, query, beside: sdkClients[number].streams)
            sdkClients[number].streams.append(
                EventStream(path: path, query: query, mayBePartial: true))
            return .listened(listen, path, query, .all)
        case .ends(let listen):
            sdkClients[number].endListen(listen)
            return .unlistened(ListenID(number: UInt64(listen)))
        case .goesOffline: return .wentOffline
        case .goesOnline: return .wentOnline
        case .leavesItsNode: return .leftNode
        case .purges: return .purged
        case .restarts: return nil
        case .hops(let count):
            sdkClients[number].hops = count
            return nil
        case .asksInvalid(let work): return sdkClients[number].ask(work, as: .invalid)
        case .buildsInvalidQuery:
            sdkClients[number].buildInvalidQuery()
            return nil
        case .stopsReading:
            guard let connection = sdkClients[number].connection else { return nil }
            sdkClients[number].mirror.lag(at: now)
            sdkClients[number].mirror.stayBehind(after: connections[connection].sentFrames)
            clog(connection: connection)
            return nil
        case .readsAgain:
            if let connection = sdkClients[number].connection { drain(connection: connection) }
            return nil
        }
    }

    /// A client leaves a node that has said something, and perhaps the next one.
    mutating func hop(_ number: Int, from connection: Int?) {
        guard sdkClients[number].hops > 0, sdkClients[number].connection == connection else {
            return
        }
        sdkClients[number].hops -= 1
        perform(.leavesItsNode, number)
    }

    private mutating func ask(
        _ work: Request.Work, as open: SDKClient.Work, _ patience: Request.Patience, _ number: Int
    ) -> ClientCore.Input {
        sdkClients[number].limit(patience, at: now)
        return sdkClients[number].ask(work, as: open, patience: patience)
    }

    private mutating func ask(
        _ work: Request.Work, _ concern: WriteConcern?, _ number: Int
    ) -> ClientCore.Input {
        let patience = sdkClients[number].drawPatience(for: work)
        if case .get(let path, let query) = work {
            let expected = sdkClients[number].expectedAnswer(to: path, query)
            return ask(work, as: .read(expected), patience, number)
        }
        if case .children(_, let first, let limit) = work {
            return ask(work, as: .listing(.init(first: first, limit: limit)), patience, number)
        }
        if case .awaitStable = work {
            return sdkClients[number].ask(work, as: .stability(since: now))
        }
        let writes = work.denseWrites
        if writes.isEmpty { return ask(work, as: .other, patience, number) }
        sdkClients[number].limit(patience, at: now)
        sdkClients[number].showWrites(writes)
        history.operations.append(
            ClientOperation(
                client: sdkClients[number].index, kind: .write(writes[0].path),
                fingerprint: Fingerprint(of: writes), invoked: now))
        let operation = history.operations.count - 1
        return sdkClients[number].ask(
            work, as: .operation(operation, wanted: concern), patience: patience, concern: concern)
    }

    /// What the function of a transaction makes of a value: one more, or the other one of 1 and 2, so that conditions of earlier
    /// transactions hold again; it aborts on what is true or false.
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

    /// Each listener shows what its client was told, with unanswered writes over it.
    mutating func checkListeners(of number: Int) {
        guard sdkClients[number].program == .dense else { return }
        sdkClients[number].checkListeners(at: now)
    }

    /// What the frames of a node have told is what its tree showed at the end of the last one.
    mutating func checkTold(_ number: Int) {
        guard sdkClients[number].mirror.isExact, let connection = sdkClients[number].connection,
            let state = recording.state(
                of: connections[connection].node,
                incarnation: connections[connection].incarnation,
                holding: sdkClients[number].mirror.seen)
        else { return }
        for (listen, told) in sdkClients[number].mirror.answeredListens {
            let shown = NaiveQuery(listen.query).shown(of: state.value[listen.path])
            sdkClients[number].tally.count(.queriesShowTheTree)
            if told == shown { continue }
            sdkClients[number].tally.note(
                .queriesShowTheTree,
                "was told at \(now.description) that \(listen.text) shows \(told), where "
                    + "n\(state.node + 1) shows \(shown)")
        }
    }

    /// The numbers of the dense programs among SDK clients.
    private var denseClients: Range<Int> {
        let clients = scenario.clients
        let first =
            clients.count - clients.protocolCount + clients.listeners + clients.applications
        return first..<first + clients.dense
    }

    /// Notices when a node has sent all that it had held back from slow clients.
    mutating func noteCaughtUp(at node: Int) {
        for number in denseClients where sdkClients[number].mirror.isLagging {
            guard let connection = sdkClients[number].connection,
                connections[connection].node == node
            else { continue }
            guard !connections[connection].isClogged, let replica = nodes[node].replica,
                !replica.holdsBack(from: SimulatedRun.session(of: connection))
            else {
                let frames =
                    connections[connection].sentFrames + connections[connection].unread.count
                sdkClients[number].mirror.stayBehind(after: frames)
                continue
            }
            sdkClients[number].mirror.catchUp(at: replica.vector.total)
        }
    }

    /// Records the sessions that ended in the last turn of a node, and what it did then.
    mutating func noteSessionEnds(at node: Int) {
        for end in nodes[node].record.takeClosings()
        where end.session != SimulatedRun.operatorSession {
            let index = Int(end.session.number) - 1
            let connection = connections[index]
            if isUser(connection.client) { continue }
            // The writes of a client that was silent for long were done then.
            guard connection.gone?.takesFrames != true, let standing = nodes[node].standing,
                !connection.onDisconnect.isVague, !nodes[node].waitsForRoom
            else { continue }
            var session = SessionEnd(
                client: connection.client, node: node, time: now,
                due: connection.onDisconnect.writes)
            if standing.isOut {
                session.wasPostponed = true
                if !session.due.isEmpty { nodes[node].postponedEnds.append(session) }
                continue
            }
            // They follow an undecided transaction, or the node has rejoined at the end of this turn.
            if !session.due.isEmpty, end.before == end.after {
                nodes[node].leavingEnds.append(
                    LeavingEnd(
                        session: end.session, end: session, writer: standing.writer,
                        before: end.before[standing.writer]))
                continue
            }
            let made = end.before[standing.writer]..<end.after[standing.writer]
            session.made = made.map { Dot(origin: standing.writer, sequence: $0 + 1) }
            sessionEnds.append(session)
        }
        noteLeavingEnds(at: node)
    }

    /// Records the ends of sessions whose transactions are decided: the on-disconnect writes are done.
    private mutating func noteLeavingEnds(at node: Int) {
        guard !nodes[node].leavingEnds.isEmpty, let replica = nodes[node].replica else { return }
        let (writer, vector) = (replica.writer, replica.vector)
        for leaving in nodes[node].leavingEnds where leaving.writer == writer {
            if replica.isLeaving(leaving.session) { continue }
            var end = leaving.end
            end.wasPostponed = true
            end.made = (leaving.before..<vector[writer]).map {
                Dot(origin: writer, sequence: $0 + 1)
            }
            sessionEnds.append(end)
        }
        nodes[node].leavingEnds.removeAll {
            $0.writer != writer || !replica.isLeaving($0.session)
        }
    }

    /// A node has rejoined: the first operations of its new incarnation are the writes of sessions that ended meanwhile.
    mutating func notePostponedEnds(at node: Int, _ standing: Replica.Standing) {
        let made = (0..<standing.vector[standing.writer]).map {
            Dot(origin: standing.writer, sequence: $0 + 1)
        }
        for var end in nodes[node].postponedEnds {
            end.made = made
            sessionEnds.append(end)
        }
        nodes[node].postponedEnds = []
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

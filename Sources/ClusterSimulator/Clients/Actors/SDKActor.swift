import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// Clients of the library: the requests of their programs, and the outputs of the library.

extension SDKClient: ClientActor {
    var lastNode: Int? { node }
    var identity: UserIdentity { times?.identity ?? .administrator }
    var onlyListens: Bool { program == .listener }
    var hasTimer: Bool { true }
    var isLagging: Bool { mirror.isLagging }
    var observedListeners: [ObservedListener] {
        guard let listening else { return streams.map { ObservedListener($0, at: node) } }
        let path = listening.path
        return [
            ObservedListener(
                path: path, node: node, shown: listening.shown, failure: listening.failure,
                expected: { $0[path] })
        ]
    }

    func uses(_ connection: Int) -> Bool { self.connection == connection && !isGone }

    func unrest(in run: SimulatedRun) -> String? {
        if let unrest { return unrest }
        return needsNode && !run.isAtRest(connection)
            ? "has no connection that lives, or frames on it" : nil
    }

    mutating func add(_ request: ScriptedRequest) { requests?.scripted.append(request) }

    /// After this time, a node answers that a write has not reached its write concern.
    private static let concernPatience: Microseconds = .seconds(3)

    /// A client begins: it listens, takes a turn now and then, and acts.
    mutating func begin(in run: inout SimulatedRun) {
        for (index, listen) in listens.enumerated() {
            let id = ListenID(number: UInt64(index))
            send(.listened(id, listen.path, listen.query, .all), in: &run)
        }
        let client = self.index
        run.schedule(.clientTurns(client), after: 0)
        if [.requests, .times].contains(program) { run.scheduleMove(of: client) }
        if isActive {
            scheduleAct(in: &run)
        }
    }

    mutating func scheduleAct(within pace: TimeRange? = nil, in run: inout SimulatedRun) {
        let pace = random.time(in: pace ?? run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    /// The timer of a client rings: it takes a turn.
    mutating func turn(in run: inout SimulatedRun) {
        if run.population.timers[index].takeRing(at: run.now) { process(nil, in: &run) }
    }

    mutating func act(in run: inout SimulatedRun) {
        if isGone { return }
        switch program {
        case .requests: askNext(in: &run)
        case .application: actNext(in: &run)
        case .dense: actNextDense(in: &run)
        case .times:
            if let input = nextTimes() { process(input, in: &run) }
            if times?.remaining != 0 { scheduleAct(in: &run) }
        case .listener, .presence: break
        }
    }

    // MARK: One request after the other

    private mutating func askNext(in run: inout SimulatedRun) {
        guard let request = nextRequest(run.population.workload, at: run.now) else { return }
        if case (let transfer, .transaction)? = request.transfer { return ask(transfer, in: &run) }
        let operation = run.record.history.operations.count
        run.record.history.operations.append(
            ClientOperation(
                client: index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: run.now))
        let input = ask(
            request.work, as: .operation(operation, wanted: request.concern),
            concern: request.concern)
        process(input, in: &run)
        limitPatience(more: request.concern == nil ? 0 : SDKClient.concernPatience, in: &run)
    }

    private mutating func ask(_ transfer: Transfer, in run: inout SimulatedRun) {
        run.record.history.transactions.append(
            TransactionRecord(
                client: index, path: transfer.above, invoked: run.now))
        let input = ask(
            .transact(transfer.above),
            as: .transfer(run.record.history.transactions.count - 1, transfer),
            patience: .limited(milliseconds: SDKClient.transactionPatience))
        process(input, in: &run)
        limitPatience(in: &run)
    }

    /// From now on the client waits so long for an answer.
    private mutating func limitPatience(more: Microseconds = 0, in run: inout SimulatedRun) {
        patience += 1
        run.schedule(
            .clientGivesUp(index, request: patience),
            after: run.scenario.clients.patience + more)
    }

    mutating func giveUp(_ patience: UInt64, in run: inout SimulatedRun) {
        // Without a node that serves it, the SDK searches for one.
        guard self.patience == patience, !open.isEmpty,
            core.isConnected
        else { return }
        process(.leftNode, in: &run)
    }

    mutating func move(in run: inout SimulatedRun) { process(.leftNode, in: &run) }

    // MARK: Applications

    private mutating func actNext(in run: inout SimulatedRun) {
        let tag = "c\(index + 1)-\(run.now)"
        guard let step = nextStep(tag: tag) else { return }
        process(input(for: step, in: &run), in: &run)
        scheduleAct(in: &run)
    }

    private mutating func input(for step: ApplicationProgram.Step, in run: inout SimulatedRun)
        -> Input
    {
        let presence = self.presence
        switch step {
        case .asks(let work): return ask(work, as: record(work, in: &run))
        case .transacts(let path):
            run.record.history.transactions.append(
                TransactionRecord(client: index, path: path, invoked: run.now))
            return ask(
                .transact(path), as: .transaction(run.record.history.transactions.count - 1),
                patience: .limited(milliseconds: SDKClient.transactionPatience))
        case .leavesForItsEnd:
            return ask(
                .onDisconnectPut(presence, .string("gone")), as: .other)
        case .comes: return ask(.put(presence, .string("here")), as: .other)
        case .goesOffline: return .wentOffline
        case .goesOnline: return .wentOnline
        case .leavesItsNode: return .leftNode
        }
    }

    /// Records an increment, to count it at the end.
    private mutating func record(_ work: Request.Work, in run: inout SimulatedRun) -> SDKClient.Work
    {
        guard case .put(let path, .deferred(.increment(.integer(let delta)))) = work,
            path == ApplicationProgram.sum
        else { return .other }
        let write = Write(path: path, value: .deferred(.increment(.integer(delta))))
        run.record.history.operations.append(
            ClientOperation(
                client: index, kind: .increment(counter: path, delta: delta),
                fingerprint: Fingerprint(of: [write]), invoked: run.now))
        return .operation(run.record.history.operations.count - 1, wanted: nil)
    }

    /// The function of the transaction adds one, or returns a value that no other transaction
    /// writes.
    private mutating func transact(
        _ request: RequestID, on value: Value, in run: inout SimulatedRun
    ) {
        let work = open[request.number]
        let drawn: (index: Int, result: TransactionResult)? =
            switch work {
            case .modification(let index)?: (index, modified(value))
            case .transfer(let index, let transfer)?: (index, transfer.result(on: value))
            default: nil
            }
        if let (index, result) = drawn {
            run.record.history.transactions[index].old = value
            if case .value(let new) = result { run.record.history.transactions[index].new = new }
            return results.append(.ran(request, result))
        }
        guard case .transaction(let index)? = work else { return }
        let new =
            run.record.history.transactions[index].path == ApplicationProgram.count
            ? Value.integer(value.count + 1)
            : .string("c\(self.index + 1)-\(request.number)")
        run.record.history.transactions[index].old = value
        run.record.history.transactions[index].new = new
        results.append(.ran(request, .value(new)))
    }

    mutating func stop(in run: inout SimulatedRun) {
        if isGone { return }
        if let input = stop() { process(input, in: &run) }
        for step in dense?.stop() ?? [] { execute(step, in: &run) }
    }

    // MARK: Turns

    mutating func send(_ input: Input, in run: inout SimulatedRun) {
        execute(core.step(input), in: &run)
        // Functions have run once all outputs before their results are done.
        while let result = takeResult() {
            execute(core.step(result), in: &run)
        }
    }

    private mutating func process(_ input: Input?, in run: inout SimulatedRun) {
        beginTurn(in: &run)
        if let input { send(input, in: &run) }
        endTurn(in: &run)
        checkListeners(in: &run)
    }

    mutating func beginTurn(in run: inout SimulatedRun) {
        send(
            .turnBegan(
                elapsedMilliseconds: run.now / 1_000,
                wallMilliseconds: clock.milliseconds(at: run.now)), in: &run)
    }

    mutating func endTurn(in run: inout SimulatedRun) {
        send(.turnEnded, in: &run)
        let writer = self.writer
        let standing = endTurn()
        if standing.writer != writer {
            run.record.names.add(standing.writer, client: index)
        }
        run.population.timers[index].expect(standing.nextDeadline.map { .milliseconds($0) })
        noteSearch(isConnected: standing.isConnected, in: &run)
        run.scheduleTurn(of: index)
    }

    private mutating func execute(_ outputs: [Output], in run: inout SimulatedRun) {
        for output in outputs {
            switch output {
            case .connect(let node): connect(to: node, in: &run)
            case .disconnect: disconnect(in: &run)
            case .send(let frame): send(frame, in: &run)
            case .succeeded(let request, let answer):
                finish(request, .success(answer), in: &run)
            case .failed(let request, let error): finish(request, .failure(error), in: &run)
            case .transact(let request, let value): transact(request, on: value, in: &run)
            case .observed(let listen, let events): observe(listen, events, in: &run)
            case .ended(let listen, let error):
                noteEnd(of: listen, error.description)
            case .persist(let records):
                if let problem = file?.keep(records) {
                    tally.report(.ownWritesShow, "its library \(problem)")
                }
            case .recall(let key): recall(key, in: &run)
            case .disconnected, .unindexed: break
            case .connected: serve(in: &run)
            }
        }
    }

    /// A node serves the client from now on.
    private mutating func serve(in run: inout SimulatedRun) {
        tried = []
        for input in present() { send(input, in: &run) }
        guard program == .requests, !open.isEmpty
        else { return }
        limitPatience(in: &run)
    }

    private mutating func observe(
        _ listen: ListenID, _ events: [ViewEvent], in run: inout SimulatedRun
    ) {
        run.record.statistics.changes += 1
        observe(listen, events)
    }

    private mutating func finish(
        _ request: RequestID, _ result: Result<Answer, HearthError>, in run: inout SimulatedRun
    ) {
        if case .failure(let error) = result, error.code == .undecided {
            run.record.history.undecided.append((index, run.now))
            judgeUndecided(at: run.now)
        }
        switch open.removeValue(forKey: request.number) {
        case .operation(let operation, let wanted)?:
            record(result, of: operation, wanted: wanted, in: &run)
            judgeAcceptance(result)
            requests?.finish(reading: result.value)
        case .transaction(let transaction)?, .transfer(let transaction, _)?,
            .modification(let transaction)?:
            run.record.history.transactions[transaction].outcome = ClientOperation.Outcome(
                ofTransaction: result)
            run.record.history.transactions[transaction].completed = run.now
            run.record.history.transactions[transaction].node = node
        case .read(let expected)?: check(result, of: expected, at: run.now)
        case .listing(let expected)?: check(result, of: expected, at: run.now)
        case .invalid?: judgeRefusal(result)
        case .stability(let since)?:
            if case .success = result { judgeStability(since: since, in: &run) }
        case .other?, nil: break
        }
        if program == .dense {
            judgeDeadline(
                of: request.number, result, among: run.nodes.count, at: run.now)
            finishMirrored(request.number, isDone: result.isDoneByNode)
        }
        if program == .requests { scheduleAct(in: &run) }
    }

    // MARK: Connections

    /// Which nodes serve matters only to a client without one.
    private mutating func noteSearch(isConnected: Bool, in run: inout SimulatedRun) {
        if isConnected || isOffline() {
            search.end()
        } else {
            search.record(areServing: run.areServing, at: run.now)
        }
    }

    mutating func vanish(takingFrames: Bool, in run: inout SimulatedRun) {
        if isGone { return }
        isGone = true
        for index in streams.indices { streams[index].isOver = true }
        guard let connection, !run.connections[connection].isBroken else { return }
        run.connections[connection].abandon(at: run.now, takingFrames: takingFrames)
    }

    private mutating func connect(to name: String, in run: inout SimulatedRun) {
        disconnect(in: &run)
        search.noteTry(at: run.now)
        guard let node = run.nodes.firstIndex(where: { $0.name == name }) else { return }
        if self.node != node { run.record.statistics.moves += 1 }
        tried.insert(node)
        connection = run.open(index, to: node)
        self.node = node
    }

    private mutating func disconnect(in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        loseConnection()
        run.close(connection)
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        loseConnection()
        process(.connectionLost, in: &run)
    }

    /// A frame of its node reaches a client.
    mutating func takeReply(
        _ frame: [UInt8], on _: Int, in run: inout SimulatedRun
    ) {
        let connection = self.connection
        if program == .dense { mirror.receive() }
        beginTurn(in: &run)
        // It may have turned to another node just now, or have given this one up.
        if self.connection == connection, takesFrames() {
            observe(reply: frame, in: &run)
            if program == .dense { noteDense(reply: frame, in: &run) }
            if transacts { noteTransactions(reply: frame, in: &run) }
            send(.received(frame), in: &run)
        }
        endTurn(in: &run)
        checkListeners(in: &run)
        hop(from: connection, in: &run)
    }
}

extension Value {
    fileprivate var count: Int64 {
        if case .integer(let number) = content { number } else { 0 }
    }
}

extension Result<Answer, HearthError> {
    /// The value that a read returned.
    fileprivate var value: Value? {
        if case .success(.value(let value)) = self { value } else { nil }
    }
}

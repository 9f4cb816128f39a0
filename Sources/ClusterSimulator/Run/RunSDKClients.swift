import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// SDK clients: what their programs request, and what they receive.

extension SimulatedRun {
    /// After this time, a node answers that a write has not reached its write concern.
    private static let concernPatience: Microseconds = .seconds(3)

    /// A client begins: it listens, takes a turn now and then, and acts.
    mutating func begin(_ number: Int) {
        for (index, listen) in sdkClients[number].listens.enumerated() {
            let id = ListenID(number: UInt64(index))
            tell(.listened(id, listen.path, listen.query, .all), to: number)
        }
        let client = sdkClients[number].index
        schedule(.clientTurns(client), after: 0)
        if [.requests, .times].contains(sdkClients[number].program) { scheduleMove(of: client) }
        if sdkClients[number].isActive {
            scheduleAct(of: number)
        }
    }

    mutating func scheduleAct(of number: Int, within pace: TimeRange? = nil) {
        let pace = sdkClients[number].random.time(in: pace ?? scenario.clients.pace)
        schedule(.clientActs(sdkClients[number].index), after: pace)
    }

    /// The timer of a client rings: it takes a turn.
    mutating func turn(sdkClient number: Int) {
        if timers[number].takeRing(at: now) { take(nil, number) }
    }

    /// Whether the timer of a client rings for nothing: it has been set to an earlier time since, or what was due no longer is.
    mutating func ringsForNothing(_ client: Int) -> Bool {
        guard case .sdk(let number) = place(of: client) else { return false }
        if timers[number].isDue(at: now) { return sdkClients[number].isGone }
        if timers[number].takeRing(at: now) { scheduleTurn(of: number) }
        return true
    }

    /// Sets the timer of a client to its next turn in which there is something to do: thousands of clients that took a turn
    /// every 40 ms would take most of the run's events.
    private mutating func scheduleTurn(of number: Int) {
        guard let time = timers[number].set(after: now) else { return }
        queue.schedule(.clientTurns(sdkClients[number].index), at: time)
    }

    mutating func act(sdkClient number: Int) {
        if sdkClients[number].isGone { return }
        switch sdkClients[number].program {
        case .requests: askNext(number)
        case .application: actNext(number)
        case .dense: actNext(dense: number)
        case .times:
            if let input = sdkClients[number].nextTimes() { take(input, number) }
            if sdkClients[number].times?.remaining != 0 { scheduleAct(of: number) }
        case .listener, .presence: break
        }
    }

    // MARK: One request after the other

    private mutating func askNext(_ number: Int) {
        guard let request = sdkClients[number].nextRequest(workload, at: now) else { return }
        if case (let transfer, .transaction)? = request.transfer { return ask(transfer, number) }
        let operation = history.operations.count
        history.operations.append(
            ClientOperation(
                client: sdkClients[number].index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: now))
        let input = sdkClients[number].ask(
            request.work, as: .operation(operation, wanted: request.concern),
            concern: request.concern)
        take(input, number)
        limitPatience(
            of: number, more: request.concern == nil ? 0 : SimulatedRun.concernPatience)
    }

    private mutating func ask(_ transfer: Transfer, _ number: Int) {
        history.transactions.append(
            TransactionRecord(
                client: sdkClients[number].index, path: transfer.above, invoked: now))
        let input = sdkClients[number].ask(
            .transact(transfer.above), as: .transfer(history.transactions.count - 1, transfer),
            patience: .limited(milliseconds: SDKClient.transactionPatience))
        take(input, number)
        limitPatience(of: number)
    }

    /// From now on the client waits so long for an answer.
    private mutating func limitPatience(of number: Int, more: Microseconds = 0) {
        sdkClients[number].patience += 1
        schedule(
            .clientGivesUp(sdkClients[number].index, request: sdkClients[number].patience),
            after: scenario.clients.patience + more)
    }

    mutating func giveUp(sdkClient number: Int, _ patience: UInt64) {
        // Without a node that serves it, the SDK searches for one.
        guard sdkClients[number].patience == patience, !sdkClients[number].open.isEmpty,
            sdkClients[number].core.isConnected
        else { return }
        take(.leftNode, number)
    }

    mutating func move(sdkClient number: Int) { take(.leftNode, number) }

    // MARK: Applications

    private mutating func actNext(_ number: Int) {
        let tag = "c\(sdkClients[number].index + 1)-\(now)"
        guard let step = sdkClients[number].nextStep(tag: tag) else { return }
        take(input(for: step, number), number)
        scheduleAct(of: number)
    }

    private mutating func input(for step: ApplicationProgram.Step, _ number: Int) -> Input {
        let presence = sdkClients[number].presence
        switch step {
        case .asks(let work): return sdkClients[number].ask(work, as: record(work, number))
        case .transacts(let path):
            history.transactions.append(
                TransactionRecord(client: sdkClients[number].index, path: path, invoked: now))
            return sdkClients[number].ask(
                .transact(path), as: .transaction(history.transactions.count - 1),
                patience: .limited(milliseconds: SDKClient.transactionPatience))
        case .leavesForItsEnd:
            return sdkClients[number].ask(
                .onDisconnectPut(presence, .string("gone")), as: .other)
        case .comes: return sdkClients[number].ask(.put(presence, .string("here")), as: .other)
        case .goesOffline: return .wentOffline
        case .goesOnline: return .wentOnline
        case .leavesItsNode: return .leftNode
        }
    }

    /// Records an increment, to count it at the end.
    private mutating func record(_ work: Request.Work, _ number: Int) -> SDKClient.Work {
        guard case .put(let path, .deferred(.increment(.integer(let delta)))) = work,
            path == ApplicationProgram.sum
        else { return .other }
        let write = Write(path: path, value: .deferred(.increment(.integer(delta))))
        history.operations.append(
            ClientOperation(
                client: sdkClients[number].index, kind: .increment(counter: path, delta: delta),
                fingerprint: Fingerprint(of: [write]), invoked: now))
        return .operation(history.operations.count - 1, wanted: nil)
    }

    /// What the function of a transaction makes of a value: one more, or a value that no other one makes.
    private mutating func transact(_ request: RequestID, on value: Value, _ number: Int) {
        let work = sdkClients[number].open[request.number]
        let drawn: (index: Int, result: TransactionResult)? =
            switch work {
            case .modification(let index)?: (index, modified(value))
            case .transfer(let index, let transfer)?: (index, transfer.result(on: value))
            default: nil
            }
        if let (index, result) = drawn {
            history.transactions[index].old = value
            if case .value(let new) = result { history.transactions[index].new = new }
            return sdkClients[number].results.append(.ran(request, result))
        }
        guard case .transaction(let index)? = work else { return }
        let new =
            history.transactions[index].path == ApplicationProgram.count
            ? Value.integer(value.count + 1)
            : .string("c\(sdkClients[number].index + 1)-\(request.number)")
        history.transactions[index].old = value
        history.transactions[index].new = new
        sdkClients[number].results.append(.ran(request, .value(new)))
    }

    mutating func stopSDKClients() {
        for number in sdkClients.indices where !sdkClients[number].isGone {
            if let input = sdkClients[number].stop() { take(input, number) }
            for step in sdkClients[number].dense?.stop() ?? [] { perform(step, number) }
        }
    }

    // MARK: Turns

    mutating func tell(_ input: Input, to number: Int) {
        perform(sdkClients[number].core.step(input), of: number)
        // Functions have run once all outputs before their results are done.
        while let result = sdkClients[number].takeResult() {
            perform(sdkClients[number].core.step(result), of: number)
        }
    }

    private mutating func take(_ input: Input?, _ number: Int) {
        beginTurn(of: number)
        if let input { tell(input, to: number) }
        endTurn(of: number)
        checkListeners(of: number)
    }

    mutating func beginTurn(of number: Int) {
        tell(
            .turnBegan(
                elapsedMilliseconds: now / 1_000,
                wallMilliseconds: sdkClients[number].clock.milliseconds(at: now)), to: number)
    }

    mutating func endTurn(of number: Int) {
        tell(.turnEnded, to: number)
        let writer = sdkClients[number].writer
        let standing = sdkClients[number].endTurn()
        if standing.writer != writer {
            names.add(standing.writer, client: sdkClients[number].index)
        }
        timers[number].expect(standing.nextDeadline.map { .milliseconds($0) })
        noteSearch(of: number, isConnected: standing.isConnected)
        scheduleTurn(of: number)
    }

    private mutating func perform(_ outputs: [Output], of number: Int) {
        for output in outputs {
            switch output {
            case .connect(let node): connect(number, to: node)
            case .disconnect: disconnect(number)
            case .send(let frame): send(frame, fromSDKClient: number)
            case .succeeded(let request, let answer):
                finish(request, .success(answer), number)
            case .failed(let request, let error): finish(request, .failure(error), number)
            case .transact(let request, let value): transact(request, on: value, number)
            case .observed(let listen, let events): observe(listen, events, number)
            case .ended(let listen, let error):
                sdkClients[number].noteEnd(of: listen, error.description)
            case .persist(let records):
                if let problem = sdkClients[number].file?.keep(records) {
                    sdkClients[number].tally.note(.ownWritesShow, "its library \(problem)")
                }
            case .recall(let key): recall(key, for: number)
            case .disconnected, .unindexed: break
            case .connected: serve(number)
            }
        }
    }

    /// A node serves the client from now on.
    private mutating func serve(_ number: Int) {
        sdkClients[number].tried = []
        for input in sdkClients[number].present() { tell(input, to: number) }
        guard sdkClients[number].program == .requests, !sdkClients[number].open.isEmpty
        else { return }
        limitPatience(of: number)
    }

    private mutating func observe(_ listen: ListenID, _ events: [ViewEvent], _ number: Int) {
        statistics.changes += 1
        sdkClients[number].observe(listen, events)
    }

    private mutating func finish(
        _ request: RequestID, _ result: Result<Answer, HearthError>, _ number: Int
    ) {
        if case .failure(let error) = result, error.code == .undecided {
            history.undecided.append((sdkClients[number].index, now))
            sdkClients[number].judgeUndecided(at: now)
        }
        switch sdkClients[number].open.removeValue(forKey: request.number) {
        case .operation(let operation, let wanted)?:
            record(result, of: operation, wanted: wanted, number)
            sdkClients[number].judgeAcceptance(result)
            sdkClients[number].requests?.finish(reading: result.value)
        case .transaction(let transaction)?, .transfer(let transaction, _)?,
            .modification(let transaction)?:
            history.transactions[transaction].outcome = ClientOperation.Outcome(
                ofTransaction: result)
            history.transactions[transaction].completed = now
            history.transactions[transaction].node = sdkClients[number].node
        case .read(let expected)?: sdkClients[number].judge(result, of: expected, at: now)
        case .listing(let expected)?: sdkClients[number].judge(result, of: expected, at: now)
        case .invalid?: sdkClients[number].judgeRefusal(result)
        case .stability(let since)?:
            if case .success = result { judgeStability(since: since, number) }
        case .other?, nil: break
        }
        if sdkClients[number].program == .dense {
            sdkClients[number].judgeDeadline(
                of: request.number, result, among: nodes.count, at: now)
            sdkClients[number].finishMirrored(request.number, isDone: result.isDoneByNode)
        }
        if sdkClients[number].program == .requests { scheduleAct(of: number) }
    }

    // MARK: Connections

    private mutating func connect(_ number: Int, to name: String) {
        disconnect(number)
        sdkClients[number].search.noteTry(at: now)
        guard let node = nodes.firstIndex(where: { $0.name == name }) else { return }
        if sdkClients[number].node != node { statistics.moves += 1 }
        sdkClients[number].tried.insert(node)
        sdkClients[number].connection = open(sdkClients[number].index, to: node)
        sdkClients[number].node = node
    }

    private mutating func disconnect(_ number: Int) {
        guard let connection = sdkClients[number].connection else { return }
        sdkClients[number].loseConnection()
        close(connection)
    }

    mutating func loseNode(ofSDKClient number: Int) {
        sdkClients[number].loseConnection()
        take(.connectionLost, number)
    }

    /// A frame of its node reaches a client.
    mutating func takeReply(_ frame: [UInt8], onSDKClient number: Int) {
        let connection = sdkClients[number].connection
        if sdkClients[number].program == .dense { sdkClients[number].mirror.receive() }
        beginTurn(of: number)
        // It may have turned to another node just now, or have given this one up.
        if sdkClients[number].connection == connection, sdkClients[number].takesFrames() {
            observe(reply: frame, to: number)
            if sdkClients[number].program == .dense { noteDense(reply: frame, number) }
            if sdkClients[number].transacts { noteTransactions(reply: frame, number) }
            tell(.received(frame), to: number)
        }
        endTurn(of: number)
        checkListeners(of: number)
        hop(number, from: connection)
    }
}

extension Value {
    fileprivate var count: Int64 {
        if case .integer(let number) = content { number } else { 0 }
    }
}

extension Result<Answer, HearthError> {
    /// What a read has found.
    fileprivate var value: Value? {
        if case .success(.value(let value)) = self { value } else { nil }
    }
}

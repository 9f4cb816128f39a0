import ClientCore
import DataTree
import GatewayCore
import SyncProtocol

// Firebase clients: what their programs do, and how they come and go.

extension FirebaseClient: ClientActor {
    var lastNode: Int? { node }
    var mayHaveRealtimeSession: Bool { true }
    var observedListeners: [ObservedListener] { streams.map { ObservedListener($0, at: node) } }

    func uses(_ connection: Int) -> Bool { connections.values.contains(connection) }

    func unrest(in run: SimulatedRun) -> String? {
        if !isAtRest { return "waits for answers or values" }
        return connections.isEmpty || !connections.values.allSatisfy({ run.isAtRest($0) })
            ? "has no connection that lives, or frames on it" : nil
    }

    /// From the end of a connection to the next one.
    private static let reconnection = TimeRange(.milliseconds(50), .milliseconds(600))

    mutating func begin(in run: inout SimulatedRun) {
        connect(in: &run)
        scheduleAct(in: &run)
    }

    private mutating func scheduleAct(in run: inout SimulatedRun) {
        let pace = random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    /// Sends the client's messages, and records the outcomes of its transactions.
    private mutating func flush(in run: inout SimulatedRun) {
        for ended in takeEnded() { record(ended, in: &run) }
        let requests = removeBytes()
        if let failure = self.failure {
            run.quiescence.fail("c\(index + 1): \(failure)")
        }
        if !requests.isEmpty { noteTraffic(at: run.now) }
        for (lane, bytes) in requests { run.send(bytes: bytes, on: connection(as: lane, in: &run)) }
    }

    /// A client's connection, which is made if there is none.
    private mutating func connection(as lane: FirebaseTransport.Lane, in run: inout SimulatedRun)
        -> Int
    {
        if let connection = connections[lane] { return connection }
        let node = self.node ?? 0
        let connection = run.openPort(index, to: node)
        use(connection, as: lane)
        return connection
    }

    private mutating func record(_ transaction: FirebaseTransaction, in run: inout SimulatedRun) {
        run.record.history.transactions[transaction.record].old = transaction.old
        run.record.history.transactions[transaction.record].new = transaction.new
        run.record.history.transactions[transaction.record].outcome = transaction.outcome
        run.record.history.transactions[transaction.record].completed = run.now
        run.record.history.transactions[transaction.record].node = node
    }

    // MARK: The program

    mutating func act(in run: inout SimulatedRun) {
        changePace(in: &run)
        let tag = "c\(index + 1)-\(run.now)"
        guard let step = nextStep(tag: tag) else { return }
        execute(step, in: &run)
        if random.happens(run.scenario.workload.successions) {
            sendSuccession()
        }
        if random.index(below: 8) == 0 {
            beginChange()
        }
        flush(in: &run)
        scheduleAct(in: &run)
    }

    private mutating func execute(_ step: ApplicationProgram.Step, in run: inout SimulatedRun) {
        switch step {
        // It would add an increment twice if it lost the answer, as at Firebase.
        case .asks(.put(ApplicationProgram.sum, _)): break
        case .asks(.put(let path, let value)): put(value, at: path)
        case .asks(.merge(let path, let writes)):
            merge(writes, at: path)
        case .asks: break
        case .transacts(let path):
            if isTransacting { return }
            let client = index
            run.record.history.transactions.append(
                TransactionRecord(client: client, path: path, invoked: run.now))
            transact(
                at: path, recordedAs: run.record.history.transactions.count - 1)
        case .leavesForItsEnd: leaveForItsEnd()
        case .comes: arrive()
        case .goesOffline: disconnect(in: &run)
        case .goesOnline: connect(in: &run)
        case .leavesItsNode:
            guard !connections.isEmpty else { return }
            disconnect(in: &run)
            connect(in: &run)
        }
    }

    /// Now and then a client does not read until its next step.
    private mutating func changePace(in run: inout SimulatedRun) {
        if let slow = slowConnection {
            slowConnection = nil
            return run.readAgain(on: slow)
        }
        guard random.index(below: 10) == 0,
            let connection = self.connection, isReady
        else { return }
        slowConnection = connection
        run.stopReading(on: connection)
    }

    mutating func stop(in run: inout SimulatedRun) {
        if slowConnection != nil { changePace(in: &run) }
        _ = program.stop()
        if connections.isEmpty { connect(in: &run) }
    }

    // MARK: Connections

    private mutating func connect(in run: inout SimulatedRun) {
        guard connections.isEmpty,
            !program.isOffline
        else { return }
        let node = nextNode()
        connect(to: run.nodes[node].name)
        flush(in: &run)
        keepAlive(in: &run)
    }

    /// A client says that it is there, if both ends were silent for long, and its timer is set for the next time.
    private mutating func keepAlive(in run: inout SimulatedRun) {
        keepAlive(at: run.now)
        flush(in: &run)
        run.queue.schedule(
            .clientTurns(index), at: keepAliveTime)
    }

    private mutating func disconnect(in run: inout SimulatedRun) {
        for connection in loseConnection() { run.close(connection) }
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        if goesOn(without: connection) { return }
        loseSession(in: &run)
    }

    private mutating func loseSession(in run: inout SimulatedRun) {
        disconnect(in: &run)
        flush(in: &run)
        let delay = random.time(in: FirebaseClient.reconnection)
        run.schedule(.clientTurns(index), after: delay)
    }

    mutating func turn(in run: inout SimulatedRun) {
        if !connections.isEmpty,
            run.now >= keepAliveTime
        {
            return keepAlive(in: &run)
        }
        connect(in: &run)
    }

    mutating func takeReply(_ bytes: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        run.record.statistics.changes += 1
        noteTraffic(at: run.now)
        receive(bytes: bytes, on: connection, by: run.population.reader)
        flush(in: &run)
        if isRefused { loseSession(in: &run) }
    }
}

extension FirebaseClient {
    mutating func nextStep(tag: String) -> ApplicationProgram.Step? {
        program.next(tag: tag, &random)
    }
}

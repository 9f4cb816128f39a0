import ClientCore
import DataTree
import GatewayCore
import SyncProtocol

// Firebase clients: what their programs do, and how they come and go.

extension SimulatedRun {
    /// From the end of a connection to the next one.
    private static let reconnection = TimeRange(.milliseconds(50), .milliseconds(600))

    mutating func begin(firebaseClient number: Int) {
        connect(firebaseClient: number)
        scheduleAct(ofFirebaseClient: number)
    }

    private mutating func scheduleAct(ofFirebaseClient number: Int) {
        let pace = firebaseClients[number].random.time(in: scenario.clients.pace)
        schedule(.clientActs(firebaseClients[number].index), after: pace)
    }

    /// Sends what the client wants to send, and records what its transactions came to.
    private mutating func flush(_ number: Int) {
        for ended in firebaseClients[number].takeEnded() { record(ended, of: number) }
        let requests = firebaseClients[number].removeBytes()
        if let failure = firebaseClients[number].failure {
            quiescence.fail("c\(firebaseClients[number].index + 1): \(failure)")
        }
        if !requests.isEmpty { firebaseClients[number].noteTraffic(at: now) }
        for (lane, bytes) in requests { send(bytes: bytes, on: connection(of: number, as: lane)) }
    }

    /// A client's connection, which is made if there is none.
    private mutating func connection(of number: Int, as lane: FirebaseTransport.Lane) -> Int {
        if let connection = firebaseClients[number].connections[lane] { return connection }
        let node = firebaseClients[number].node ?? 0
        let connection = openPort(firebaseClients[number].index, to: node)
        firebaseClients[number].use(connection, as: lane)
        return connection
    }

    private mutating func record(_ transaction: FirebaseTransaction, of number: Int) {
        history.transactions[transaction.record].old = transaction.old
        history.transactions[transaction.record].new = transaction.new
        history.transactions[transaction.record].outcome = transaction.outcome
        history.transactions[transaction.record].completed = now
        history.transactions[transaction.record].node = firebaseClients[number].node
    }

    // MARK: The program

    mutating func act(firebaseClient number: Int) {
        changePace(ofReading: number)
        let tag = "c\(firebaseClients[number].index + 1)-\(now)"
        guard let step = firebaseClients[number].nextStep(tag: tag) else { return }
        perform(step, number)
        if firebaseClients[number].random.happens(scenario.workload.successions) {
            firebaseClients[number].sendSuccession()
        }
        if firebaseClients[number].random.index(below: 8) == 0 {
            firebaseClients[number].beginChange()
        }
        flush(number)
        scheduleAct(ofFirebaseClient: number)
    }

    private mutating func perform(_ step: ApplicationProgram.Step, _ number: Int) {
        switch step {
        // It would add an increment twice if it lost the answer, as at Firebase.
        case .asks(.put(ApplicationProgram.sum, _)): break
        case .asks(.put(let path, let value)): firebaseClients[number].put(value, at: path)
        case .asks(.merge(let path, let writes)):
            firebaseClients[number].merge(writes, at: path)
        case .asks: break
        case .transacts(let path):
            if firebaseClients[number].isTransacting { return }
            let client = firebaseClients[number].index
            history.transactions.append(
                TransactionRecord(client: client, path: path, invoked: now))
            firebaseClients[number].transact(
                at: path, recordedAs: history.transactions.count - 1)
        case .leavesForItsEnd: firebaseClients[number].leaveForItsEnd()
        case .comes: firebaseClients[number].arrive()
        case .goesOffline: disconnect(firebaseClient: number)
        case .goesOnline: connect(firebaseClient: number)
        case .leavesItsNode:
            guard !firebaseClients[number].connections.isEmpty else { return }
            disconnect(firebaseClient: number)
            connect(firebaseClient: number)
        }
    }

    /// Now and then a client does not read until its next step.
    private mutating func changePace(ofReading number: Int) {
        if let slow = firebaseClients[number].slowConnection {
            firebaseClients[number].slowConnection = nil
            return readAgain(on: slow)
        }
        guard firebaseClients[number].random.index(below: 10) == 0,
            let connection = firebaseClients[number].connection, firebaseClients[number].isReady
        else { return }
        firebaseClients[number].slowConnection = connection
        stopReading(on: connection)
    }

    /// Clients do nothing more of themselves.
    mutating func stopFirebaseClients() {
        for number in firebaseClients.indices {
            if firebaseClients[number].slowConnection != nil { changePace(ofReading: number) }
            _ = firebaseClients[number].program.stop()
            if firebaseClients[number].connections.isEmpty { connect(firebaseClient: number) }
        }
    }

    // MARK: Connections

    private mutating func connect(firebaseClient number: Int) {
        guard firebaseClients[number].connections.isEmpty,
            !firebaseClients[number].program.isOffline
        else { return }
        let node = firebaseClients[number].nextNode()
        firebaseClients[number].connect(to: nodes[node].name)
        flush(number)
        keepAlive(firebaseClient: number)
    }

    /// A client says that it is there, if both ends were silent for long, and its timer is set for the next time.
    private mutating func keepAlive(firebaseClient number: Int) {
        firebaseClients[number].keepAlive(at: now)
        flush(number)
        queue.schedule(
            .clientTurns(firebaseClients[number].index), at: firebaseClients[number].keepAliveTime)
    }

    private mutating func disconnect(firebaseClient number: Int) {
        for connection in firebaseClients[number].loseConnection() { close(connection) }
    }

    mutating func loseNode(ofFirebaseClient number: Int, on connection: Int) {
        if firebaseClients[number].goesOn(without: connection) { return }
        loseSession(ofFirebaseClient: number)
    }

    private mutating func loseSession(ofFirebaseClient number: Int) {
        disconnect(firebaseClient: number)
        flush(number)
        let delay = firebaseClients[number].random.time(in: SimulatedRun.reconnection)
        schedule(.clientTurns(firebaseClients[number].index), after: delay)
    }

    mutating func turn(firebaseClient number: Int) {
        if !firebaseClients[number].connections.isEmpty,
            now >= firebaseClients[number].keepAliveTime
        {
            return keepAlive(firebaseClient: number)
        }
        connect(firebaseClient: number)
    }

    mutating func takeReply(
        _ bytes: [UInt8], onFirebaseClient number: Int, on connection: Int
    ) {
        statistics.changes += 1
        firebaseClients[number].noteTraffic(at: now)
        firebaseClients[number].receive(bytes: bytes, on: connection, by: reader)
        flush(number)
        if firebaseClients[number].isRefused { loseSession(ofFirebaseClient: number) }
    }
}

extension FirebaseClient {
    mutating func nextStep(tag: String) -> ApplicationProgram.Step? {
        program.next(tag: tag, &random)
    }
}

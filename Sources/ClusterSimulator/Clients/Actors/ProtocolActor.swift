import DataTree
import ReplicaCore
import SyncProtocol

// Protocol clients: what they request, what they receive, and to which node they move.

extension ProtocolClient: ClientActor {
    var lastNode: Int? { node }

    func uses(_ connection: Int) -> Bool { self.connection == connection }

    func unrest(in run: SimulatedRun) -> String? {
        pending == nil ? nil : "waits for an answer"
    }

    mutating func begin(in run: inout SimulatedRun) {
        let pace = requests.random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
        run.scheduleMove(of: index)
    }

    mutating func add(_ request: ScriptedRequest) { requests.scripted.append(request) }

    mutating func stop(in run: inout SimulatedRun) { requests.stop() }

    mutating func act(in run: inout SimulatedRun) {
        if pending != nil {
            // It has moved to another node with a request that it may repeat.
            if connection == nil { ask(in: &run) }
            return
        }
        if wantsToMove { goElsewhere(in: &run) }
        let milliseconds = clock.milliseconds(at: run.now)
        guard
            let request = requests.next(
                run.population.workload, keyMilliseconds: milliseconds)
        else { return }
        run.record.history.operations.append(
            ClientOperation(
                client: index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: run.now))
        pending = .init(
            id: 0, operation: run.record.history.operations.count - 1, request: request)
        ask(in: &run)
    }

    /// Sends the pending request, again or for the first time.
    private mutating func ask(in run: inout SimulatedRun) {
        let connection = self.connection ?? connect(in: &run)
        guard let request = self.pending?.request else { return }
        let (id, frame) = self.frame(of: request)
        self.pending?.id = id
        guard let pending = self.pending else { return }
        if run.record.recording.isOn {
            run.connections[connection].asked.append((id, pending.operation))
        }
        run.send(frame, on: connection)
        run.schedule(
            .clientGivesUp(index, request: id),
            after: run.scenario.clients.patience)
    }

    private mutating func connect(in run: inout SimulatedRun) -> Int {
        let connection = run.open(index, to: node)
        self.connection = connection
        expected.removeAll()
        return connection
    }

    // MARK: Answers

    mutating func takeReply(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        do throws(FrameError) {
            for received in try FrameReader<NodeMessage>.messages(in: frame) {
                switch received {
                case .message(let message): receive(message, in: &run)
                case .refused(_, let error): run.noteUnreadable(error)
                }
            }
        } catch {
            run.noteUnreadable(error)
        }
    }

    private mutating func receive(_ message: NodeMessage, in run: inout SimulatedRun) {
        check(message, in: &run)
        switch message {
        case .ok(let id): complete(id, .acknowledged, in: &run)
        case .acknowledged(let id, let concern):
            complete(id, .acknowledged, acknowledgedAt: concern, in: &run)
        case .value(let id, let value): complete(id, .acknowledged, answer: value, in: &run)
        case .pushed(let id, let key): complete(id, .acknowledged, key: key, in: &run)
        case .error(let id, let code, let problem, _):
            if let pending = self.pending, pending.id == id {
                let node = self.node
                run.noteRefusal(of: pending.operation, code, problem, by: node)
            }
            // There are other nodes.
            if code == .unavailable { wantsToMove = true }
            complete(id, code == .undecided ? .unknown : .failed, in: &run)
        case .unindexed, .change, .ranges, .ended, .ready, .seen:
            run.quiescence.fail("a node sent what a client has not asked for: \(message)")
        }
    }

    /// Each message gets the answer that it has to get.
    private mutating func check(_ message: NodeMessage, in run: inout SimulatedRun) {
        let (id, code): (UInt64, ErrorCode?)
        switch message {
        case .ok(let own), .acknowledged(let own, _), .value(let own, _), .pushed(let own, _):
            (id, code) = (own, nil)
        case .error(let own, let error, _, _): (id, code) = (own, error)
        case .unindexed, .change, .ranges, .ended, .ready, .seen: return
        }
        if let problem = expected.receive(id, refused: code) {
            run.quiescence.fail("\(index.clientName): \(problem)")
        }
    }

    private mutating func complete(
        _ id: UInt64, _ outcome: ClientOperation.Outcome, key: Key? = nil, answer: Value? = nil,
        acknowledgedAt: WriteConcern? = nil, in run: inout SimulatedRun
    ) {
        guard let pending = self.pending, pending.id == id else { return }
        let node = self.node
        run.record.history.operations[pending.operation].node = node
        run.record.history.operations[pending.operation].connection = connection
        run.record.history.operations[pending.operation].answer = answer
        run.record.history.operations[pending.operation].acknowledgedAt = acknowledgedAt
        if let key, case .append(let list, _, let value) = pending.request.kind {
            run.record.history.operations[pending.operation].kind = .append(
                list: list, key: key, value: value)
        }
        finish(outcome, in: &run)
        requests.finish(reading: answer)
        let pace = requests.random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    private mutating func finish(_ outcome: ClientOperation.Outcome, in run: inout SimulatedRun) {
        guard let pending = self.pending else { return }
        self.pending = nil
        run.record.history.operations[pending.operation].outcome = outcome
        run.record.history.operations[pending.operation].completed = run.now
    }

    // MARK: Leaving

    mutating func giveUp(_ request: UInt64, in run: inout SimulatedRun) {
        guard pending?.id == request,
            connection != nil
        else { return }
        // A write with the concern `all` always takes longer to be answered than this client waits.
        if run.nodes.contains(where: \.isAbandoned) {
            pending?.request.concern = nil
        }
        leave(in: &run)
    }

    mutating func move(in run: inout SimulatedRun) {
        if pending == nil {
            leave(in: &run)
        } else {
            wantsToMove = true
        }
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        leave(in: &run)
    }

    /// Leaves the node for another one, and repeats the pending request there if that is safe.
    mutating func leave(in run: inout SimulatedRun) {
        let connection = self.connection
        let wasRefused = connection.map { run.connections[$0].wasRefused } ?? false
        goElsewhere(in: &run)
        if let pending = self.pending, !wasRefused, !pending.isRepeatable {
            if case .get = pending.request.kind {
                finish(.failed, in: &run)
            } else {
                finish(.unknown, in: &run)
            }
        }
        let pause = TimeRange(.milliseconds(10), .milliseconds(100))
        run.schedule(
            .clientActs(index),
            after: requests.random.time(in: pause))
    }

    private mutating func goElsewhere(in run: inout SimulatedRun) {
        if let connection = self.connection {
            self.connection = nil
            run.close(connection)
        }
        wantsToMove = false
        guard run.nodes.count > 1 else { return }
        let step = 1 + requests.random.index(below: run.nodes.count - 1)
        node = (node + step) % run.nodes.count
        run.record.statistics.moves += 1
    }
}

import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// Applications: what their clients want done, and what they are told.

extension SimulatedRun {
    static func applications(of scenario: Scenario, seed: UInt64) -> [Application] {
        let virtual = scenario.clients.count + scenario.clients.listeners
        let nodes = (1...scenario.cluster.replicas).map { "n\($0)" }
        let count = scenario.clients.applications
        let busy = (0..<count).map { index in
            let share = scenario.workload.applications * (index + 1) / count
            let before = scenario.workload.applications * index / count
            return Application(
                index: virtual + index, nodes: nodes, remaining: share - before,
                transactions: scenario.workload.transactions, seed: seed)
        }
        let idle = (0..<scenario.clients.idle).map { index in
            Application(idle: virtual + count + index, nodes: nodes, seed: seed)
        }
        return busy + idle
    }

    /// An application begins: it listens, and takes a turn now and then.
    mutating func beginApplication(_ number: Int) {
        for (index, stream) in applications[number].streams.enumerated() {
            let listen = ListenID(number: UInt64(index))
            tell(.listened(listen, stream.path, stream.query, .all), to: number)
        }
        schedule(.applicationTurns(number), after: 0)
        schedule(
            .applicationActs(number),
            after: applications[number].drawPace(scenario.clients.pace))
    }

    mutating func turnApplication(_ number: Int) {
        take(nil, number)
        schedule(.applicationTurns(number), after: .milliseconds(40))
    }

    mutating func actApplication(_ number: Int) {
        guard let input = applications[number].draw() else { return }
        record(input, number)
        take(input, number)
        schedule(
            .applicationActs(number),
            after: applications[number].drawPace(scenario.clients.pace))
    }

    mutating func stopApplications() {
        for number in applications.indices {
            let wasOffline = applications[number].isOffline
            applications[number].stop()
            if wasOffline { take(.wentOnline, number) }
        }
    }

    /// A frame, or the end of the connection, reaches an application.
    mutating func takeReply(_ frame: [UInt8], onApplication number: Int) {
        take(.received(frame), number)
    }

    mutating func loseNode(ofApplication number: Int) {
        applications[number].connection = nil
        take(.connectionLost, number)
    }

    // MARK: The history

    /// Notes what is to be judged later.
    private mutating func record(_ input: Input, _ number: Int) {
        guard case .asked(let request) = input else { return }
        if case .transact(let path, _, _) = request.work {
            applications[number].open[request.id.number] = .transaction(
                record: history.transactions.count)
            history.transactions.append(
                TransactionRecord(client: applications[number].index, path: path, invoked: now))
        }
        recordIncrement(request, number)
    }

    private mutating func recordIncrement(_ request: Request, _ number: Int) {
        guard
            case .put(Application.sum, .deferred(.increment(.integer(let delta)))) = request.work
        else { return }
        let write = Write(path: Application.sum, value: .deferred(.increment(.integer(delta))))
        applications[number].open[request.id.number] = .increment(
            operation: history.operations.count)
        history.operations.append(
            ClientOperation(
                client: applications[number].index,
                kind: .increment(counter: Application.sum, delta: delta),
                fingerprint: Fingerprint(of: [write]), invoked: now))
    }

    private mutating func record(
        _ outcome: ClientOperation.Outcome, of request: RequestID, _ number: Int
    ) {
        switch applications[number].open[request.number] {
        case .increment(let index)?:
            history.operations[index].outcome = outcome
            history.operations[index].completed = now
            history.operations[index].node = applications[number].node
        case .transaction(let index)?:
            history.transactions[index].outcome = outcome
            history.transactions[index].completed = now
            history.transactions[index].node = applications[number].node
        case .other?, nil: break
        }
    }

    /// What the function of a transaction makes of a value: one more, or a value that no other one makes.
    private mutating func transact(_ request: RequestID, on value: Value, _ number: Int) {
        guard case .transaction(let index)? = applications[number].open[request.number]
        else { return }
        let new =
            history.transactions[index].path == Application.count
            ? Value.integer(value.count + 1)
            : .string("c\(applications[number].index + 1)-\(request.number)")
        history.transactions[index].old = value
        history.transactions[index].new = new
        tell(.ran(request, .value(new)), to: number)
    }

    // MARK: Turns

    private mutating func tell(_ input: Input, to number: Int) {
        perform(applications[number].client.step(input), of: number)
    }

    private mutating func take(_ input: Input?, _ number: Int) {
        let elapsed = now / 1_000
        tell(
            .turnBegan(
                elapsedMilliseconds: elapsed,
                wallMilliseconds: VirtualClock.beginning + elapsed), to: number)
        if let input { tell(input, to: number) }
        tell(.turnEnded, to: number)
    }

    private mutating func perform(_ outputs: [Output], of number: Int) {
        for output in outputs {
            switch output {
            case .connect(let node): connect(application: number, to: node)
            case .disconnect: disconnect(application: number)
            case .send(let frame):
                if let connection = applications[number].connection { send(frame, on: connection) }
            case .succeeded(let request, _):
                record(.acknowledged, of: request, number)
                applications[number].finish(request)
            case .failed(let request, let error):
                record(error.effect == .unknown ? .unknown : .failed, of: request, number)
                applications[number].finish(request)
            case .transact(let request, let value): transact(request, on: value, number)
            case .observed(let listen, let events): observe(listen, events, number)
            case .ended(let listen, let error):
                applications[number].streams[Int(listen.number)].noteEnd(error.description)
            // These applications keep nothing for another process.
            case .disconnected, .persist, .recall: break
            case .connected:
                for input in applications[number].present() { tell(input, to: number) }
            }
        }
    }

    private mutating func observe(_ listen: ListenID, _ events: [ViewEvent], _ number: Int) {
        statistics.changes += 1
        applications[number].observe(listen, events)
    }

    // MARK: Connections

    private mutating func connect(application number: Int, to name: String) {
        disconnect(application: number)
        guard let node = nodes.firstIndex(where: { $0.name == name }) else { return }
        applications[number].connection = open(applications[number].index, to: node)
        applications[number].node = node
    }

    private mutating func disconnect(application number: Int) {
        guard let connection = applications[number].connection else { return }
        applications[number].connection = nil
        close(connection)
    }
}

extension Value {
    fileprivate var count: Int64 {
        if case .integer(let number) = content { number } else { 0 }
    }
}

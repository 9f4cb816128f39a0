import DataTree
import ReplicaCore
import SyncProtocol

// Clients: what they ask, what they hear, and where they go.

extension SimulatedRun {
    /// The clients that ask, then those that listen.
    static func clients(of scenario: Scenario, seed: UInt64) -> [VirtualClient] {
        let asking = scenario.clients.count
        let paths = ["data", "", "lists", "data/a"].map { text in
            Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
        }
        return (0..<asking + scenario.clients.listeners).map { index in
            let isAsking = index < asking
            let share = scenario.workload.operations * (index + 1) / max(asking, 1)
            let before = scenario.workload.operations * index / max(asking, 1)
            return VirtualClient(
                index: index, node: index % scenario.cluster.replicas,
                remaining: isAsking ? share - before : 0,
                listening: isAsking ? nil : paths[(index - asking) % paths.count],
                isNative: index < min(asking, scenario.clients.native),
                skew: scenario.clients.skew, seed: seed)
        }
    }

    mutating func act(_ client: Int) {
        if clients[client].listening != nil { return listen(client) }
        if clients[client].pending != nil {
            // It came to another node with a request that it may ask for again.
            if clients[client].mayAskAgain { ask(client) }
            return
        }
        if clients[client].wantsToMove { goElsewhere(client) }
        guard let request = clients[client].nextRequest(workload, at: now, defect: defect)
        else { return }
        history.operations.append(
            ClientOperation(
                client: client, kind: request.kind, fingerprint: request.fingerprint, invoked: now,
                session: clients[client].session?.number ?? 0))
        let operation = history.operations.count - 1
        clients[client].pending = .init(id: 0, operation: operation, request: request)
        ask(client)
    }

    /// Sends the pending request, again or for the first time.
    mutating func ask(_ client: Int) {
        if clients[client].connection == nil { connect(client) }
        if clients[client].session?.isReady == false { return greet(client) }
        let id = clients[client].nextID()
        clients[client].prepare(at: now, defect)
        clients[client].pending?.id = id
        guard let pending = clients[client].pending else { return }
        note(pending.operation, asked: id, by: client)
        send(pending.request.message(id: id, stamp: pending.stamp), from: client)
        schedule(.clientGivesUp(client, request: id), after: scenario.clients.patience)
    }

    private mutating func listen(_ client: Int) {
        guard clients[client].connection == nil, let path = clients[client].listening?.path
        else { return }
        connect(client)
        clients[client].listening?.restart()
        send(.listen(id: clients[client].nextID(), path: path), from: client)
        if let connection = clients[client].connection {
            let patience = scenario.clients.patience
            schedule(.clientProbes(client, connection: connection), after: patience)
        }
    }

    mutating func probe(_ client: Int, _ connection: Int) {
        guard clients[client].connection == connection else { return }
        guard clients[client].wasHeard else { return goElsewhere(client) }
        clients[client].wasHeard = false
        send(.ping(id: clients[client].nextID()), from: client)
        let patience = scenario.clients.patience
        schedule(.clientProbes(client, connection: connection), after: patience)
    }

    // MARK: Answers

    mutating func takeReply(_ frame: [UInt8], on index: Int) {
        let client = connections[index].client
        guard !connections[index].isBroken else { return }
        if client >= clients.count {
            let number = client - clients.count
            guard applications[number].connection == index else { return }
            return takeReply(frame, onApplication: number)
        }
        guard clients[client].connection == index else { return }
        clients[client].wasHeard = true
        do throws(FrameError) {
            for received in try FrameReader<NodeMessage>.messages(in: frame) {
                if case .message(let message) = received { take(message, client) }
                if case .refused(_, let error) = received { note(error) }
            }
        } catch {
            note(error)
        }
    }

    private mutating func note(_ error: FrameError) {
        quiescence.failure = quiescence.failure ?? "a client cannot read what a node sent: \(error)"
    }

    private mutating func take(_ message: NodeMessage, _ client: Int) {
        switch message {
        case .ok(let id): complete(client, id, .acknowledged)
        case .acknowledged(let id, let concern):
            complete(client, id, .acknowledged, acknowledgedAt: concern)
        case .value(let id, let value): complete(client, id, .acknowledged, answer: value)
        case .pushed(let id, let key): complete(client, id, .acknowledged, key: key)
        case .error(let id, let code, let problem, _):
            noteRefusal(code, problem, of: id, client)
            if takeFailure(code, of: id, client) { return }
            // There are other nodes.
            if code == .unavailable { clients[client].wantsToMove = true }
            if clients[client].listening != nil { return goElsewhere(client) }
            complete(client, id, .failed)
        case .change(_, let writes):
            statistics.changes += 1
            clients[client].listening?.take(writes)
        case .ranges:
            quiescence.failure =
                quiescence.failure ?? "a node sent ranges to a client that holds nothing"
        case .ended: goElsewhere(client)
        case .ready(let id, _, let wall, let time, let holds):
            begin(client, id, at: wall, time, holding: holds)
        case .seen(let time, let holds):
            clients[client].session?.clock.observe(time)
            clients[client].session?.seen.raise(to: holds)
        }
    }

    /// Notes that a node refused a request for another reason than its stamp.
    private mutating func noteRefusal(
        _ code: ErrorCode, _ problem: String, of id: UInt64, _ client: Int
    ) {
        guard let pending = clients[client].pending, pending.id == id,
            ![.late, .undecided, .behind].contains(code)
        else { return }
        history.refusals.append(
            .init(
                operation: pending.operation, node: clients[client].node, problem: problem,
                time: now))
    }

    mutating func complete(
        _ client: Int, _ id: UInt64, _ outcome: ClientOperation.Outcome, key: Key? = nil,
        answer: Value? = nil, acknowledgedAt: WriteConcern? = nil
    ) {
        guard let pending = clients[client].pending, pending.id == id else { return }
        let node = clients[client].node
        history.operations[pending.operation].node = node
        history.operations[pending.operation].incarnation = nodes[node].incarnation
        history.operations[pending.operation].connection = clients[client].connection
        history.operations[pending.operation].answer = answer
        history.operations[pending.operation].acknowledgedAt = acknowledgedAt
        if let key, case .append(let list, _, let value) = pending.request.kind {
            history.operations[pending.operation].kind = .append(list: list, key: key, value: value)
        }
        finish(client, outcome)
        schedule(.clientActs(client), after: clients[client].random.time(in: scenario.clients.pace))
    }

    mutating func finish(_ client: Int, _ outcome: ClientOperation.Outcome) {
        guard let pending = clients[client].pending else { return }
        clients[client].pending = nil
        history.operations[pending.operation].outcome = outcome
        history.operations[pending.operation].completed = now
    }

    // MARK: Leaving

    mutating func giveUp(_ client: Int, request: UInt64) {
        guard clients[client].pending?.id == request, clients[client].connection != nil
        else { return }
        // What is to be on all nodes takes longer to be answered than this client waits, each time.
        if nodes.contains(where: \.isAbandoned) { clients[client].pending?.request.concern = nil }
        goElsewhere(client)
    }

    mutating func loseNode(_ connection: Int) {
        let client = connections[connection].client
        if client >= clients.count {
            let number = client - clients.count
            if applications[number].connection == connection { loseNode(ofApplication: number) }
            return
        }
        if clients[client].connection == connection { goElsewhere(client) }
    }

    mutating func scheduleMove(of client: Int) {
        guard let move = scenario.clients.move else { return }
        schedule(.clientMoves(client), after: clients[client].random.time(in: move))
    }

    mutating func move(_ client: Int) {
        if quiescence.hasBegun { return }
        scheduleMove(of: client)
        if clients[client].pending == nil || clients[client].session != nil {
            goElsewhere(client)
        } else {
            clients[client].wantsToMove = true
        }
    }

    /// Leaves the node for another one, where the pending request is asked for again if it may be.
    mutating func goElsewhere(_ client: Int) {
        let wasRefused = clients[client].connection.map { connections[$0].wasRefused } ?? false
        disconnect(client)
        clients[client].wantsToMove = false
        if nodes.count > 1 {
            let step = 1 + clients[client].random.index(below: nodes.count - 1)
            clients[client].node = (clients[client].node + step) % nodes.count
            statistics.moves += 1
        }
        clients[client].leave(wasRefused: wasRefused)
        if let pending = clients[client].pending, !wasRefused,
            !mayAskAgain(pending.request, isNative: clients[client].session != nil)
        {
            if case .get = pending.request.kind {
                finish(client, .failed)
            } else {
                finish(client, .unknown)
            }
        }
        let pause = clients[client].random.time(in: TimeRange(10_000, 100_000))
        schedule(.clientActs(client), after: pause)
    }

    private func mayAskAgain(_ request: Workload.Request, isNative: Bool) -> Bool {
        switch request.kind {
        case .append: false
        case _ where isNative: true
        case .push: true
        case .increment: defect == .resendsIncrements
        default: false
        }
    }
}

import DataTree
import ReplicaCore
import SyncProtocol

// Protocol clients: what they request, what they receive, and to which node they move.

extension SimulatedRun {
    mutating func act(protocolClient number: Int) {
        if protocolClients[number].pending != nil {
            // It has moved to another node with a request that it may repeat.
            if protocolClients[number].connection == nil { ask(number) }
            return
        }
        if protocolClients[number].wantsToMove { goElsewhere(number) }
        let milliseconds = protocolClients[number].clock.milliseconds(at: now)
        guard
            let request = protocolClients[number].requests.next(
                workload, keyMilliseconds: milliseconds)
        else { return }
        history.operations.append(
            ClientOperation(
                client: protocolClients[number].index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: now))
        protocolClients[number].pending = .init(
            id: 0, operation: history.operations.count - 1, request: request)
        ask(number)
    }

    /// Sends the pending request, again or for the first time.
    private mutating func ask(_ number: Int) {
        let connection = protocolClients[number].connection ?? connect(number)
        guard let request = protocolClients[number].pending?.request else { return }
        let (id, frame) = protocolClients[number].frame(of: request)
        protocolClients[number].pending?.id = id
        guard let pending = protocolClients[number].pending else { return }
        if recording.isOn { connections[connection].asked.append((id, pending.operation)) }
        send(frame, on: connection)
        schedule(
            .clientGivesUp(protocolClients[number].index, request: id),
            after: scenario.clients.patience)
    }

    private mutating func connect(_ number: Int) -> Int {
        let connection = open(protocolClients[number].index, to: protocolClients[number].node)
        protocolClients[number].connection = connection
        protocolClients[number].expected.removeAll()
        return connection
    }

    // MARK: Answers

    mutating func takeReply(_ frame: [UInt8], onProtocolClient number: Int) {
        do throws(FrameError) {
            for received in try FrameReader<NodeMessage>.messages(in: frame) {
                switch received {
                case .message(let message): take(message, number)
                case .refused(_, let error): noteUnreadable(error)
                }
            }
        } catch {
            noteUnreadable(error)
        }
    }

    mutating func noteUnreadable(_ error: FrameError) {
        quiescence.fail("a client cannot read what a node sent: \(error)")
    }

    private mutating func take(_ message: NodeMessage, _ number: Int) {
        note(message, number)
        switch message {
        case .ok(let id): complete(number, id, .acknowledged)
        case .acknowledged(let id, let concern):
            complete(number, id, .acknowledged, acknowledgedAt: concern)
        case .value(let id, let value): complete(number, id, .acknowledged, answer: value)
        case .pushed(let id, let key): complete(number, id, .acknowledged, key: key)
        case .error(let id, let code, let problem, _):
            if let pending = protocolClients[number].pending, pending.id == id {
                let node = protocolClients[number].node
                noteRefusal(of: pending.operation, code, problem, by: node)
            }
            // There are other nodes.
            if code == .unavailable { protocolClients[number].wantsToMove = true }
            complete(number, id, code == .undecided ? .unknown : .failed)
        case .unindexed, .change, .ranges, .ended, .ready, .seen:
            quiescence.fail("a node sent what a client has not asked for: \(message)")
        }
    }

    /// Each message gets the answer that it has to get.
    private mutating func note(_ message: NodeMessage, _ number: Int) {
        let (id, code): (UInt64, ErrorCode?)
        switch message {
        case .ok(let own), .acknowledged(let own, _), .value(let own, _), .pushed(let own, _):
            (id, code) = (own, nil)
        case .error(let own, let error, _, _): (id, code) = (own, error)
        case .unindexed, .change, .ranges, .ended, .ready, .seen: return
        }
        if let problem = protocolClients[number].expected.take(id, refused: code) {
            quiescence.fail("\(protocolClients[number].index.clientName): \(problem)")
        }
    }

    /// Records that a node refused a request for another reason than its stamp.
    mutating func noteRefusal(
        of operation: Int, _ code: ErrorCode, _ problem: String, by node: Int
    ) {
        guard ![.late, .undecided, .behind].contains(code) else { return }
        history.refusals.append(
            .init(operation: operation, node: node, problem: problem, time: now))
    }

    private mutating func complete(
        _ number: Int, _ id: UInt64, _ outcome: ClientOperation.Outcome, key: Key? = nil,
        answer: Value? = nil, acknowledgedAt: WriteConcern? = nil
    ) {
        guard let pending = protocolClients[number].pending, pending.id == id else { return }
        let node = protocolClients[number].node
        history.operations[pending.operation].node = node
        history.operations[pending.operation].connection = protocolClients[number].connection
        history.operations[pending.operation].answer = answer
        history.operations[pending.operation].acknowledgedAt = acknowledgedAt
        if let key, case .append(let list, _, let value) = pending.request.kind {
            history.operations[pending.operation].kind = .append(
                list: list, key: key, value: value)
        }
        finish(number, outcome)
        protocolClients[number].requests.finish(reading: answer)
        let pace = protocolClients[number].requests.random.time(in: scenario.clients.pace)
        schedule(.clientActs(protocolClients[number].index), after: pace)
    }

    private mutating func finish(_ number: Int, _ outcome: ClientOperation.Outcome) {
        guard let pending = protocolClients[number].pending else { return }
        protocolClients[number].pending = nil
        history.operations[pending.operation].outcome = outcome
        history.operations[pending.operation].completed = now
    }

    // MARK: Leaving

    mutating func giveUp(protocolClient number: Int, request: UInt64) {
        guard protocolClients[number].pending?.id == request,
            protocolClients[number].connection != nil
        else { return }
        // A write with the concern `all` always takes longer to be answered than this client waits.
        if nodes.contains(where: \.isAbandoned) {
            protocolClients[number].pending?.request.concern = nil
        }
        leave(number)
    }

    mutating func move(protocolClient number: Int) {
        if protocolClients[number].pending == nil {
            leave(number)
        } else {
            protocolClients[number].wantsToMove = true
        }
    }

    /// Leaves the node for another one, and repeats the pending request there if that is safe.
    mutating func leave(_ number: Int) {
        let connection = protocolClients[number].connection
        let wasRefused = connection.map { connections[$0].wasRefused } ?? false
        goElsewhere(number)
        if let pending = protocolClients[number].pending, !wasRefused, !pending.isRepeatable {
            if case .get = pending.request.kind {
                finish(number, .failed)
            } else {
                finish(number, .unknown)
            }
        }
        let pause = TimeRange(.milliseconds(10), .milliseconds(100))
        schedule(
            .clientActs(protocolClients[number].index),
            after: protocolClients[number].requests.random.time(in: pause))
    }

    private mutating func goElsewhere(_ number: Int) {
        if let connection = protocolClients[number].connection {
            protocolClients[number].connection = nil
            close(connection)
        }
        protocolClients[number].wantsToMove = false
        guard nodes.count > 1 else { return }
        let step = 1 + protocolClients[number].requests.random.index(below: nodes.count - 1)
        protocolClients[number].node = (protocolClients[number].node + step) % nodes.count
        statistics.moves += 1
    }
}

import ClientCore
import DataTree
import SyncProtocol

// Records the requests of SDK clients and their outcomes in the history; and the frames between the SDK
// and nodes, which show on which node's state an answer rests.

extension SimulatedRun {
    /// Sends a frame, and records to which operation each of its requests belongs.
    mutating func send(_ frame: [UInt8], fromSDKClient number: Int) {
        guard let connection = sdkClients[number].connection else { return }
        for index in watches.indices { watches[index].sent(request: frame) }
        if sdkClients[number].program == .dense { noteDense(request: frame, number) }
        if sdkClients[number].transacts { noteTransactions(request: frame, number) }
        if sdkClients[number].recordsRequests(),
            let received = messages(of: ClientMessage.self, in: frame)
        {
            for case .message(let message) in received { note(message, on: connection, number) }
        }
        send(frame, on: connection)
    }

    private mutating func note(_ message: ClientMessage, on connection: Int, _ number: Int) {
        sdkClients[number].listening?.take(message)
        if case .hello(let hello) = message.request {
            sdkClients[number].greet(seen: hello.seen, at: now)
        }
        // These clients have one open request at a time.
        guard let id = message.requestID,
            case .operation(let operation, _)? = sdkClients[number].open.first?.value
        else { return }
        connections[connection].asked.append((id, operation))
    }

    /// Records a frame that reaches a client.
    mutating func observe(reply frame: [UInt8], to number: Int) {
        guard sdkClients[number].recordsReplies(), let connection = sdkClients[number].connection,
            let received = messages(of: NodeMessage.self, in: frame)
        else { return }
        for received in received {
            switch received {
            case .message(let message): note(message, on: connection, number)
            case .refused(_, let error): noteUnreadable(error)
            }
        }
    }

    private mutating func note(_ message: NodeMessage, on connection: Int, _ number: Int) {
        sdkClients[number].session.take(message)
        sdkClients[number].listening?.take(message)
        switch message {
        case .acknowledged(let id, let concern):
            guard let operation = operation(id, askedOn: connection) else { return }
            history.operations[operation].acknowledgedAt = concern
        case .error(let id, let code, let problem, _):
            guard let operation = operation(id, askedOn: connection) else { return }
            noteRefusal(of: operation, code, problem, by: connections[connection].node)
        default: break
        }
    }

    /// Records a frame of a dense program.
    private mutating func noteDense(request frame: [UInt8], _ number: Int) {
        sdkClients[number].helloTime = now
        for case .message(let message) in messages(of: ClientMessage.self, in: frame) ?? [] {
            sdkClients[number].observeDense(message, at: now)
        }
    }

    /// Records a frame that reaches a dense program, and checks what it shows.
    mutating func noteDense(reply frame: [UInt8], _ number: Int) {
        guard let received = messages(of: NodeMessage.self, in: frame) else { return }
        var acknowledged: [Stamp] = []
        for case .message(let message) in received {
            if let stamp = sdkClients[number].observeDense(message, at: now) {
                acknowledged.append(stamp)
            }
        }
        checkTold(number)
        if received.contains(where: \.saysWhatIsSeen) { checkDurable(number) }
        guard recording.isOn, !scenario.mayReplay else { return }
        for stamp in acknowledged {
            sdkClients[number].tally.count(.clientsKeepWhatTheySaw)
            if recording.dot(of: stamp, in: sdkClients[number].mirror.seen) != nil { continue }
            sdkClients[number].tally.note(
                .clientsKeepWhatTheySaw,
                "was told at \(now.description) that its write \(stamp) is done, by a node that has not shown it"
            )
        }
    }

    /// What a node says that its frames have shown is on its disk.
    private mutating func checkDurable(_ number: Int) {
        guard scenario.cluster.durability == .commit,
            let connection = sdkClients[number].connection
        else { return }
        let node = connections[connection].node
        let durable = nodes[node].disk.durable
        sdkClients[number].tally.count(.readsAreDurable)
        // A node that has rejoined holds less than it had on its disk.
        let missing = sdkClients[number].mirror.seen.entries.first { seen in
            durable[seen.origin] < seen.sequence
                && !recording.durable[node].contains { $0.vector[seen.origin] >= seen.sequence }
        }
        guard recording.isOn, let missing else { return }
        sdkClients[number].tally.note(
            .readsAreDurable,
            "was shown \(missing.origin)#\(missing.sequence) at \(now.description) by \(nodes[node].name), whose "
                + "disk has \(durable.line)")
    }

    // MARK: Transactions

    private mutating func noteTransactions(request frame: [UInt8], _ number: Int) {
        for case .message(let message) in messages(of: ClientMessage.self, in: frame) ?? [] {
            guard case .put(let put) = message.request, put.condition?.isLocal == false else {
                continue
            }
            sdkClients[number].transactions[message.id] = put.stamp
        }
    }

    /// Records the transactions of which a node says that a majority holds them.
    mutating func noteTransactions(reply frame: [UInt8], _ number: Int) {
        for case .message(let message) in messages(of: NodeMessage.self, in: frame) ?? [] {
            switch message {
            case .ok(let id), .acknowledged(let id, _):
                guard let name = sdkClients[number].transactions.removeValue(forKey: id) else {
                    continue
                }
                history.decisions.append((name: name, time: now))
                checkSeen(transaction: name, number)
            case .error(let id, _, _, _): sdkClients[number].transactions[id] = nil
            default: continue
            }
        }
    }

    /// A dense program has seen what its transaction wrote once it is told that the transaction is done.
    private mutating func checkSeen(transaction name: Stamp, _ number: Int) {
        guard sdkClients[number].program == .dense, recording.isOn, !scenario.mayReplay else {
            return
        }
        sdkClients[number].tally.count(.clientsKeepWhatTheySaw)
        let dots = recording.dots(named: name)
        let seen = sdkClients[number].mirror.seen
        if dots.isEmpty || dots.contains(where: { seen.covers($0) }) { return }
        sdkClients[number].tally.note(
            .clientsKeepWhatTheySaw,
            "was told at \(now.description) that its transaction \(name) is done, by a node that has not shown it"
        )
    }

    private func operation(_ id: UInt64, askedOn connection: Int) -> Int? {
        connections[connection].asked.last { $0.id == id }?.operation
    }

    /// The messages of a frame; an unreadable frame is a failure of the run.
    private mutating func messages<Message: FrameMessage>(
        of type: Message.Type, in frame: [UInt8]
    ) -> [Received<Message>]? {
        do throws(FrameError) {
            return try FrameReader<Message>.messages(in: frame)
        } catch {
            noteUnreadable(error)
            return nil
        }
    }

    /// Records the outcome of an operation that the client's program received.
    mutating func record(
        _ result: Result<Answer, HearthError>, of operation: Int, wanted: WriteConcern?,
        _ number: Int
    ) {
        history.operations[operation].outcome = ClientOperation.Outcome(result)
        history.operations[operation].completed = now
        history.operations[operation].session = sdkClients[number].session.number
        history.operations[operation].connection = sdkClients[number].connection
        history.operations[operation].node = sdkClients[number].node
        if case .failure(let error) = result, error.code == .notMet {
            history.operations[operation].missedConcern = wanted
        }
        guard case .success(let answer) = result else { return }
        if case .value(let value) = answer { history.operations[operation].answer = value }
        // Whatever the node answered, the program assumes the durability that it asked for.
        if let wanted {
            history.operations[operation].acknowledgedAt = max(
                wanted, history.operations[operation].acknowledgedAt ?? .local)
        }
    }
}

extension ClientOperation.Outcome {
    /// The outcome of a transaction as the SDK reports it: what a function aborts is not done.
    init(ofTransaction result: Result<Answer, HearthError>) {
        if case .success(.aborted) = result { self = .failed } else { self.init(result) }
    }

    /// The outcome of a request as the SDK reports it.
    init(_ result: Result<Answer, HearthError>) {
        switch result {
        case .success: self = .acknowledged
        case .failure(let error):
            switch error.effect {
            case .none: self = .failed
            case .unknown: self = .unknown
            case .done: self = .acknowledged
            }
        }
    }
}

extension Scenario {
    /// Whether operations may be made again with other stamps, or be lost with disks.
    var mayReplay: Bool {
        cluster.durability != .commit
            || script.contains { scripted in
                guard case .fault(let fault) = scripted.action else { return false }
                return fault is Evict || fault is MemberList || fault is Abandon || fault is Wipe
                    || fault is Restore || fault is Rot || fault is DiskFault
            }
    }
}

extension Received<NodeMessage> {
    /// Whether it is a message that names what its session has shown.
    fileprivate var saysWhatIsSeen: Bool {
        switch self {
        case .message(.ready), .message(.seen): true
        default: false
        }
    }
}

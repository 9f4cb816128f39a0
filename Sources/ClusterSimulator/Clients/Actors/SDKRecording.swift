import ClientCore
import DataTree
import SyncProtocol

// Records the requests of SDK clients and their outcomes in the history; and the frames between the SDK
// and nodes, which show on which node's state an answer rests.

extension SDKClient {
    /// Sends a frame, and records to which operation each of its requests belongs.
    mutating func send(_ frame: [UInt8], in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        if program == .dense { noteDense(request: frame, in: &run) }
        if transacts { noteTransactions(request: frame, in: &run) }
        if recordsRequests(),
            let received = run.messages(of: ClientMessage.self, in: frame)
        {
            for case .message(let message) in received { record(message, on: connection, in: &run) }
        }
        run.send(frame, on: connection)
    }

    private mutating func record(
        _ message: ClientMessage, on connection: Int, in run: inout SimulatedRun
    ) {
        listening?.begin(message)
        if case .hello(let hello) = message.request {
            greet(seen: hello.seen, at: run.now)
        }
        // These clients have one open request at a time.
        guard let id = message.requestID,
            case .operation(let operation, _)? = open.first?.value
        else { return }
        run.connections[connection].asked.append((id, operation))
    }

    /// Records a frame that reaches a client.
    mutating func observe(reply frame: [UInt8], in run: inout SimulatedRun) {
        guard recordsReplies(), let connection = self.connection,
            let received = run.messages(of: NodeMessage.self, in: frame)
        else { return }
        for received in received {
            switch received {
            case .message(let message): record(message, on: connection, in: &run)
            case .refused(_, let error): run.noteUnreadable(error)
            }
        }
    }

    private mutating func record(
        _ message: NodeMessage, on connection: Int, in run: inout SimulatedRun
    ) {
        session.receive(message)
        listening?.receive(message)
        switch message {
        case .acknowledged(let id, let concern):
            guard let operation = operation(id, askedOn: connection, in: &run) else { return }
            run.record.history.operations[operation].acknowledgedAt = concern
        case .error(let id, let code, let problem, _):
            guard let operation = operation(id, askedOn: connection, in: &run) else { return }
            run.noteRefusal(of: operation, code, problem, by: run.connections[connection].node)
        default: break
        }
    }

    /// Records a frame of a dense program.
    private mutating func noteDense(request frame: [UInt8], in run: inout SimulatedRun) {
        helloTime = run.now
        for case .message(let message) in run.messages(of: ClientMessage.self, in: frame) ?? [] {
            observeDense(message, at: run.now)
        }
    }

    /// Records a frame that reaches a dense program, and checks what it shows.
    mutating func noteDense(reply frame: [UInt8], in run: inout SimulatedRun) {
        guard let received = run.messages(of: NodeMessage.self, in: frame) else { return }
        var acknowledged: [Stamp] = []
        for case .message(let message) in received {
            if let stamp = observeDense(message, at: run.now) {
                acknowledged.append(stamp)
            }
        }
        checkTold(in: &run)
        if received.contains(where: \.saysWhatIsSeen) { checkDurable(in: &run) }
        guard run.record.recording.isOn, !run.scenario.mayReplay else { return }
        for stamp in acknowledged {
            tally.count(.clientsKeepWhatTheySaw)
            if run.record.recording.dot(of: stamp, in: mirror.seen) != nil { continue }
            tally.report(
                .clientsKeepWhatTheySaw,
                "was told at \(run.now.description) that its write \(stamp) is done, by a node that has not shown it"
            )
        }
    }

    /// Checks that the operations that a node reports as shown are on its disk.
    private mutating func checkDurable(in run: inout SimulatedRun) {
        guard run.scenario.cluster.durability == .commit,
            let connection = self.connection
        else { return }
        let node = run.connections[connection].node
        let durable = run.nodes[node].disk.durable
        tally.count(.readsAreDurable)
        // A node that has rejoined holds less than it had on its disk.
        let missing = mirror.seen.entries.first { seen in
            durable[seen.origin] < seen.sequence
                && !run.record.recording.durable[node].contains {
                    $0.vector[seen.origin] >= seen.sequence
                }
        }
        guard run.record.recording.isOn, let missing else { return }
        tally.report(
            .readsAreDurable,
            "was shown \(missing.origin)#\(missing.sequence) at \(run.now.description) by \(run.nodes[node].name), whose "
                + "disk has \(durable.line)")
    }

    // MARK: Transactions

    private mutating func noteTransactions(request frame: [UInt8], in run: inout SimulatedRun) {
        for case .message(let message) in run.messages(of: ClientMessage.self, in: frame) ?? [] {
            guard case .put(let put) = message.request, put.condition?.isLocal == false else {
                continue
            }
            transactions[message.id] = put.stamp
        }
    }

    /// Records the transactions of which a node says that a majority holds them.
    mutating func noteTransactions(reply frame: [UInt8], in run: inout SimulatedRun) {
        for case .message(let message) in run.messages(of: NodeMessage.self, in: frame) ?? [] {
            switch message {
            case .ok(let id), .acknowledged(let id, _):
                guard let name = transactions.removeValue(forKey: id) else {
                    continue
                }
                run.record.history.decisions.append((name: name, time: run.now))
                checkSeen(transaction: name, in: &run)
            case .error(let id, _, _, _): transactions[id] = nil
            default: continue
            }
        }
    }

    /// Checks that a dense program knows the writes of its transaction once it receives the
    /// success.
    private mutating func checkSeen(transaction name: Stamp, in run: inout SimulatedRun) {
        guard program == .dense, run.record.recording.isOn, !run.scenario.mayReplay else {
            return
        }
        tally.count(.clientsKeepWhatTheySaw)
        let dots = run.record.recording.dots(named: name)
        let seen = mirror.seen
        if dots.isEmpty || dots.contains(where: { seen.covers($0) }) { return }
        tally.report(
            .clientsKeepWhatTheySaw,
            "was told at \(run.now.description) that its transaction \(name) is done, by a node that has not shown it"
        )
    }

    private func operation(
        _ id: UInt64, askedOn connection: Int, in run: inout SimulatedRun
    ) -> Int? {
        run.connections[connection].asked.last { $0.id == id }?.operation
    }

    /// Records the outcome of an operation that the client's program received.
    mutating func record(
        _ result: Result<Answer, HearthError>, of operation: Int, wanted: WriteConcern?,
        in run: inout SimulatedRun
    ) {
        run.record.history.operations[operation].outcome = ClientOperation.Outcome(result)
        run.record.history.operations[operation].completed = run.now
        run.record.history.operations[operation].session = session.number
        run.record.history.operations[operation].connection = connection
        run.record.history.operations[operation].node = node
        if case .failure(let error) = result, error.code == .notMet {
            run.record.history.operations[operation].missedConcern = wanted
        }
        guard case .success(let answer) = result else { return }
        if case .value(let value) = answer {
            run.record.history.operations[operation].answer = value
        }
        // The program relies on the concern that it requested, even if the node reached less.
        if let wanted {
            run.record.history.operations[operation].acknowledgedAt = max(
                wanted, run.record.history.operations[operation].acknowledgedAt ?? .local)
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

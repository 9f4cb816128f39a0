import ClientCore
import DataTree
import SyncProtocol

// What clients with the library ask for and are told, as it stands in the history; and what passes between
// the library and nodes, which tells what the answers of the library rest on.

extension SimulatedRun {
    /// Sends a frame, and notes which operation its requests are about.
    mutating func send(_ frame: [UInt8], fromSDKClient number: Int) {
        guard let connection = sdkClients[number].connection else { return }
        if sdkClients[number].isObserved, let received = messages(of: ClientMessage.self, in: frame)
        {
            for case .message(let message) in received { note(message, on: connection, number) }
        }
        send(frame, on: connection)
    }

    private mutating func note(_ message: ClientMessage, on connection: Int, _ number: Int) {
        sdkClients[number].listening?.take(message)
        if case .hello(let hello) = message.request {
            sdkClients[number].session.greet(seen: hello.seen, at: now)
        }
        // One thing at a time is asked for.
        guard let id = message.requestID,
            case .operation(let operation, _)? = sdkClients[number].open.first?.value
        else { return }
        connections[connection].asked.append((id, operation))
    }

    /// Looks at a frame that reaches a client.
    mutating func observe(reply frame: [UInt8], to number: Int) {
        guard sdkClients[number].isObserved, let connection = sdkClients[number].connection,
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

    private func operation(_ id: UInt64, askedOn connection: Int) -> Int? {
        connections[connection].asked.last { $0.id == id }?.operation
    }

    /// The messages of a frame; what cannot be read is a failure of the run.
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

    /// Notes what the program of a client was told of an operation.
    mutating func record(
        _ result: Result<Answer, HearthError>, of operation: Int, wanted: WriteConcern?,
        _ number: Int
    ) {
        let client = sdkClients[number]
        history.operations[operation].outcome = ClientOperation.Outcome(result)
        history.operations[operation].completed = now
        history.operations[operation].session = client.session.number
        history.operations[operation].connection = client.connection
        history.operations[operation].node = client.node
        history.operations[operation].incarnation = client.node.map { nodes[$0].incarnation }
        guard case .success(let answer) = result else { return }
        if case .value(let value) = answer { history.operations[operation].answer = value }
        // Whatever the node said, the program takes the write for as durable as it wanted.
        if let wanted {
            history.operations[operation].acknowledgedAt = max(
                wanted, history.operations[operation].acknowledgedAt ?? .local)
        }
    }
}

extension ClientOperation.Outcome {
    /// What the library says that a request came to.
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

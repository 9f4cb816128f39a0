import ReplicaCore
import SyncProtocol

/// Follows requests of clients: each time that one arrives at a node, and each answer.
struct RequestTrail {
    private struct Name: Hashable {
        var connection: Int
        var id: UInt64
    }

    private let requests: Set<ClientOperation.Name>
    private let operations: [FailureFocus.Followed]
    /// The requests without an answer.
    private var open: [Name: ClientMessage] = [:]
    /// By operation of the history: the request was issued, and has not reached a node since its client connected last.
    private var pending: [Int: CourseStep?] = [:]
    private var issued: Set<Int> = []
    private var served: [Int: Int] = [:]
    private var connections: Set<Int> = []
    /// By operation of the history: the connections on which its request arrived.
    private var arrivals: [Int: Set<Int>] = [:]

    init(_ focus: FailureFocus) {
        requests = focus.requests
        operations = focus.operations
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun, into steps: inout [CourseStep]) {
        if !requests.isEmpty { issue(in: run, into: &steps) }
        switch event {
        case .requested(let connection, let frame) where run.connections[connection].port == nil:
            connect(connection, in: run)
            for message in ClientMessage.all(in: frame) {
                receive(message, on: connection, in: run, into: &steps)
            }
        case .replied(let connection, let frame) where run.connections[connection].port == nil:
            for message in NodeMessage.all(in: frame) {
                answer(message, on: connection, in: run, into: &steps)
            }
        case .clientLost(let connection):
            for (name, message) in open.sorted(by: { $0.key.id < $1.key.id })
            where name.connection == connection {
                open[name] = nil
                let (client, node) = run.ends(of: connection)
                steps.append(
                    CourseStep(
                        "\(client) loses its connection to \(node) before an answer to \(message.summary)",
                        .stage, at: [client, node], in: run))
            }
        default: break
        }
    }

    /// Writes down new requests of the history, and what nodes lacked that executed them.
    private mutating func issue(in run: SimulatedRun, into steps: inout [CourseStep]) {
        let operations = run.record.history.operations
        for (index, operation) in operations.enumerated()
        where requests.contains(operation.operationName) {
            if issued.insert(index).inserted {
                pending[index] = .some(nil)
                steps.append(
                    CourseStep(
                        "\(operation.client.clientName) issues: \(operation.request)", .stage,
                        at: [operation.client.clientName], in: run))
            }
            while served[index, default: 0] < operation.servings.count {
                compare(
                    operation.servings[served[index, default: 0]], of: operation, in: run,
                    into: &steps)
                served[index, default: 0] += 1
            }
        }
    }

    /// Marks a node that executes a request without what an earlier request of the same client has shown or written.
    private func compare(
        _ serving: ClientOperation.Serving, of operation: ClientOperation, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let earlier = run.record.history.operations.last { other in
            guard requests.contains(other.operationName), other.client == operation.client,
                other.operationName != operation.operationName, let completed = other.completed,
                completed <= operation.invoked, let known = other.acknowledged
            else { return false }
            return !serving.vector.covers(other.isRead ? known.vector : known.written)
        }
        guard let earlier else { return }
        let node = serving.node.nodeName
        let what = earlier.isRead ? "what it had read by" : "what it had written by"
        steps.append(
            CourseStep(
                "\(node) serves “\(operation.request)” of \(operation.client.clientName), and lacks \(what) "
                    + "“\(earlier.request)”: it holds \(serving.vector.line)", .decisive,
                at: [node],
                in: run, isDeviation: true))
    }

    /// A client has connected to a node: all that was not answered has to arrive there, too.
    private mutating func connect(_ connection: Int, in run: SimulatedRun) {
        guard connections.insert(connection).inserted else { return }
        let client = run.connections[connection].client
        for index in issued {
            let operation = run.record.history.operations[index]
            guard operation.client == client, operation.outcome == .open else { continue }
            let (name, node) = run.ends(of: connection)
            guard case .some(.none) = pending[index] else { continue }
            pending[index] = CourseStep(
                "\(name) connects to \(node), and does not send its request “\(operation.request)” there"
                    + earlierSending(of: index, before: connection, in: run),
                .decisive, at: [name, node], in: run, isDeviation: true)
        }
    }

    /// The node to which a client sent a request before, and whether it arrived there.
    private func earlierSending(of operation: Int, before connection: Int, in run: SimulatedRun)
        -> String
    {
        let earlier = run.connections.indices.prefix(connection).last { index in
            run.connections[index].asked.contains { $0.operation == operation }
        }
        guard let earlier else { return "" }
        let outcome =
            arrivals[operation]?.contains(earlier) == true
            ? "which did not answer" : "where it never arrived"
        return "; it had sent it to \(run.ends(of: earlier).node), \(outcome)"
    }

    /// The run is over: marks the first connection on which an open request was never sent.
    func finish(in run: SimulatedRun, into steps: inout [CourseStep]) {
        for (index, step) in pending.sorted(by: { $0.key < $1.key })
        where run.record.history.operations[index].outcome == .open {
            if let step { steps.append(step) }
        }
    }

    private mutating func receive(
        _ message: ClientMessage, on connection: Int, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let asked = run.connections[connection].asked.last { $0.id == message.requestID }
        let isAsked = asked.map {
            requests.contains(run.record.history.operations[$0.operation].operationName)
        }
        guard isAsked == true || operations.contains(where: { $0.operation.stamp == message.stamp })
        else { return }
        if let asked {
            pending[asked.operation] = .some(nil)
            arrivals[asked.operation, default: []].insert(connection)
        }
        let (client, node) = run.ends(of: connection)
        open[Name(connection: connection, id: message.id)] = message
        let isUp = run.nodes[run.connections[connection].node].isUp
        steps.append(
            CourseStep(
                "\(node) receives from \(client): \(message.summary)"
                    + (isUp ? "" : ", but is down"), .stage, at: [node, client], in: run))
    }

    private mutating func answer(
        _ message: NodeMessage, on connection: Int, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        guard let id = message.answeredID,
            let request = open.removeValue(forKey: Name(connection: connection, id: id))
        else { return }
        let (client, node) = run.ends(of: connection)
        var text = "\(client) receives the answer of \(node): \(message.summary)"
        let vector = run.nodes[run.connections[connection].node].standing?.vector
        // A node that answers so says that no node has done the request, and that none will.
        if case .error(_, .late, _, _) = message,
            let done = operations.first(where: {
                $0.operation.stamp == request.stamp && vector?.covers($0.dot) == true
            })
        {
            text += "; but \(node) holds \(done.dot), which was made of this request"
            return steps.append(
                CourseStep(text, .decisive, at: [client, node], in: run, isDeviation: true))
        }
        if case .acknowledged(_, let concern) = message,
            let asked = run.connections[connection].asked.last(where: { $0.id == id }),
            let reached = run.record.history.operations[asked.operation].acknowledgedAt,
            reached != concern
        {
            text += "; its program gets it as \(reached.rawValue)"
            return steps.append(
                CourseStep(text, .decisive, at: [client, node], in: run, isDeviation: true))
        }
        steps.append(CourseStep(text, .stage, at: [client, node], in: run))
    }
}

extension ClientOperation {
    /// The request in a few words.
    var request: String {
        description.split(separator: " ").dropFirst().prefix(while: { $0 != "invoked" })
            .joined(separator: " ")
    }
}

extension ClientOperation.Serving {
    /// The operation of the write as a vector.
    var written: VersionVector {
        var vector = VersionVector()
        if let dot { vector[dot.origin] = dot.sequence }
        return vector
    }
}

extension FrameMessage {
    /// The messages of a frame that can be read.
    static func all(in frame: [UInt8]) -> [Self] {
        let received = (try? FrameReader<Self>.messages(in: frame)) ?? []
        return received.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
}

extension SimulatedRun {
    /// The names of both ends of a connection.
    func ends(of connection: Int) -> (client: String, node: String) {
        (connections[connection].client.clientName, connections[connection].node.nodeName)
    }
}

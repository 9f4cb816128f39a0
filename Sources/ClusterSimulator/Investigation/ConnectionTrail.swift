import DataTree
import SyncProtocol

/// Follows the connections of clients: what each says that it has seen, and where it listens.
struct ConnectionTrail {
    /// The connection that a client used last, and its listens.
    private struct State {
        var connection: Int
        var greeting: CourseStep
        /// By number.
        var listens: [UInt64: Path] = [:]
    }

    private let focus: FailureFocus
    private var states: [Int: State] = [:]
    private var hasForgotten = false

    init(_ focus: FailureFocus) { self.focus = focus }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun, into steps: inout [CourseStep]) {
        switch event {
        case .requested(let connection, let frame) where isFollowed(connection, in: run):
            for message in ClientMessage.all(in: frame) {
                receive(message, on: connection, in: run, into: &steps)
            }
        case .clientLost(let connection) where isFollowed(connection, in: run):
            let (client, node) = run.ends(of: connection)
            steps.append(
                CourseStep(
                    "\(client) loses its connection to \(node)", .detail, at: [client], in: run))
        default: break
        }
    }

    private func isFollowed(_ connection: Int, in run: SimulatedRun) -> Bool {
        focus.clients.contains(run.connections[connection].client)
            && run.connections[connection].port == nil
    }

    private mutating func receive(
        _ message: ClientMessage, on connection: Int, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let client = run.connections[connection].client
        switch message.request {
        case .hello(let hello) where states[client]?.connection != connection:
            let step = greeting(hello.seen, on: connection, in: run)
            steps.append(step)
            states[client] = State(connection: connection, greeting: step)
        case .listen(let listen):
            states[client]?.listens[message.id] = listen.path
        case .unlisten(let ended): states[client]?.listens[ended.listen] = nil
        default: break
        }
    }

    private mutating func greeting(
        _ seen: VersionVector, on connection: Int, in run: SimulatedRun
    ) -> CourseStep {
        let (client, node) = run.ends(of: connection)
        var text = "\(client) connects to \(node), and says that it has seen \(seen.line)"
        guard let forgotten = forgotten(seen, by: run.connections[connection].client, in: run)
        else { return CourseStep(text, .detail, at: [client, node], in: run) }
        text +=
            ", although it has received the answer to “\(forgotten.request)” at "
            + "\((forgotten.completed ?? 0).description)"
        defer { hasForgotten = true }
        return CourseStep(
            text, hasForgotten ? .detail : .decisive, at: [client, node], in: run,
            isDeviation: !hasForgotten)
    }

    /// A followed request of a client that was answered in the last second, and is not in what the client says that it has
    /// seen. Some clients may forget older ones.
    private func forgotten(
        _ seen: VersionVector, by client: Int, in run: SimulatedRun
    ) -> ClientOperation? {
        run.record.history.operations.last { operation in
            guard operation.client == client, focus.requests.contains(operation.operationName),
                let completed = operation.completed, let serving = operation.acknowledged,
                run.now - completed < .seconds(1)
            else { return false }
            return !seen.covers(operation.isRead ? serving.vector : serving.written)
        }
    }

    /// The run is over: marks the last connection of a client if it does not listen there as its program wants.
    func finish(in run: SimulatedRun, into steps: inout [CourseStep]) {
        guard focus.kind == .other, let path = focus.path else { return }
        for (client, state) in states.sorted(by: { $0.key < $1.key }) {
            let missing = run.clients[client].observedListeners.first { listener in
                listener.shown == nil
                    && (listener.path.contains(path) || path.contains(listener.path))
                    && !state.listens.values.contains { $0.contains(listener.path) }
            }
            guard let missing else { continue }
            var step = state.greeting
            step.text +=
                "; it never sends a listen at \(missing.path) there, which its program has"
            (step.weight, step.isDeviation) = (.decisive, true)
            steps.append(step)
        }
    }
}

import DataTree
import ReplicaCore

/// Finds the first wrong event of a listener, and the moment after which a listener never again
/// equals its query at its node.
///
/// A listener is late while frames are on their way. The moment is therefore the one after which
/// both were never equal.
struct ListenerWatch {
    /// A listener of a client.
    private struct Name: Hashable {
        var client: Int
        var stream: Int
    }

    private struct State {
        var path: Path
        var node: Int
        var shown: Value
        var tree: Value
        /// Since when the listener differs from its node.
        var divergence: Divergence?
    }

    /// With more clients than this, listeners are not compared with their nodes after every turn: it would take too long.
    fileprivate static let clientLimit = 100

    private var states: [Name: State] = [:]
    private var hasFailure = false

    /// An event was executed; returns the first wrong event of a listener.
    mutating func observe(_ event: Event, in run: SimulatedRun) -> Divergence? {
        let concerned = event.clients(in: run)
        for client in concerned {
            for (index, listener) in run.clients[client].observedListeners.enumerated() {
                compare(listener, Name(client: client, stream: index), event, in: run)
                guard !hasFailure, let failure = listener.failure else { continue }
                hasFailure = true
                return Divergence(
                    "\(client.clientName), which listens at \(listener.path), found: \(failure)",
                    at: listener.path, after: event, in: run,
                    nodes: listener.node.map { [$0] } ?? [],
                    clients: [client])
            }
        }
        return nil
    }

    private mutating func compare(
        _ listener: ObservedListener, _ name: Name, _ event: Event, in run: SimulatedRun
    ) {
        guard let node = listener.node, let tree = run.nodes[node].replica?.value,
            let shown = listener.shown
        else { return }
        if let state = states[name], state.shown.isSame(as: shown), state.tree.isSame(as: tree) {
            return
        }
        let expected = listener.expected(tree)
        var state = State(
            path: listener.path, node: node, shown: shown, tree: tree,
            divergence: states[name]?.divergence)
        if shown == expected {
            state.divergence = nil
        } else if state.divergence == nil {
            let difference = TreeDifference(shown, expected, at: listener.path)
            let problem =
                "\(name.client.clientName), which listens at \(listener.path) of "
                + "\(node.nodeName), shows something else than the node from here on, at "
                + "\(difference)"
            state.divergence = Divergence(
                problem, at: difference.path ?? listener.path, after: event, in: run,
                nodes: [node], clients: [name.client])
        }
        states[name] = state
    }

    /// The first moment from which on a listener was never again equal to its node.
    ///
    /// - Parameter named: The clients that a failed check names, which come first.
    func finish(_ run: SimulatedRun, preferring named: Set<Int> = []) -> Divergence? {
        guard !hasFailure else { return nil }
        let all = states.compactMap { name, state in state.divergence.map { (name, state, $0) } }
        let preferred = all.filter { named.contains($0.0.client) }
        let parted = (preferred.isEmpty ? all : preferred)
            .min { ($0.2.event, $0.0.client, $0.0.stream) < ($1.2.event, $1.0.client, $1.0.stream) }
        guard let (name, state, found) = parted else { return nil }
        var divergence = found
        divergence.nodes = [state.node]
        divergence.path = differingPath(of: name, state, in: run) ?? found.path
        divergence.problem += comparison(of: name, state)
        return divergence
    }

    /// The first location at which a listener differs from its node in the end.
    private func differingPath(of name: Name, _ state: State, in run: SimulatedRun) -> Path? {
        let listeners = run.clients[name.client].observedListeners
        guard name.stream < listeners.count else { return nil }
        let expected = listeners[name.stream].expected(state.tree)
        return TreeDifference(state.shown, expected, at: state.path).path
    }

    /// The other clients that listen at the location at the same node, and whether they part from it.
    private func comparison(of name: Name, _ state: State) -> String {
        let others = states.filter { other, found in
            other.client != name.client && found.path == state.path && found.node == state.node
        }
        let texts = Set(others.keys.map(\.client)).sorted().map { client in
            let parted = others.filter { $0.key.client == client }
                .compactMap { $0.value.divergence?.time }.min()
            let time = parted.map { "differs from \($0.description) on" }
            return "\(client.clientName) \(time ?? "shows the same as the node")"
        }
        return texts.isEmpty ? "" : "; others that listen there: " + texts.joined(separator: ", ")
    }
}

extension Event {
    /// The clients whose listeners the event may change, or whose node it changes.
    func clients(in run: SimulatedRun) -> [Int] {
        switch self {
        case .replied(let connection, _), .clientLost(let connection):
            return [run.connections[connection].client]
        case .clientActs(let client), .clientTurns(let client), .clientRecalls(let client),
            .clientMoves(let client), .clientGivesUp(let client, _):
            return [client]
        case .turn(let node, _) where run.scenario.clients.total <= ListenerWatch.clientLimit:
            return (0..<run.scenario.clients.total).filter { run.clients[$0].lastNode == node }
        default: return []
        }
    }
}

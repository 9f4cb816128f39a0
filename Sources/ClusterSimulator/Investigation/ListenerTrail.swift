import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// Follows one location from the tree of a node to each listener there: what the node sends to each, and what each shows.
struct ListenerTrail {
    /// A listen on a connection.
    private struct Name: Hashable {
        var connection: Int
        var id: UInt64
    }

    private struct Listen {
        var client: Int
        var path: Path
        var isFiltered: Bool
        var since: Microseconds
        var until: Microseconds = .max
        /// When its node sent a change of the location, and when that arrived.
        var sent: [Microseconds] = []
        var received: [Microseconds] = []
        /// The events in which they arrived.
        var arrivals: [UInt64] = []
    }

    /// A node shows another value at the location.
    private struct TreeChange {
        var step: CourseStep
        var value: Value
    }

    /// How long a node may take to send a change: its turn has to become durable first.
    private static let patience: Microseconds = .milliseconds(500)

    private let focus: FailureFocus
    private let path: Path
    private let node: Int
    private var listens: [Name: Listen] = [:]
    private var changes: [TreeChange] = []
    /// By client and number of its listener: the value that it shows at the location.
    private var shown: [[Int]: Value] = [:]
    /// The values that listeners of the focus have shown, in order.
    private var history: [(time: Microseconds, client: Int, value: Value)] = []

    /// Nil for a failure without a location or a node.
    init?(_ focus: FailureFocus) {
        guard let path = focus.path, let node = focus.nodes.first,
            focus.kind == .listener || focus.kind == .other
        else { return nil }
        (self.focus, self.path, self.node) = (focus, path, node)
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun, into steps: inout [CourseStep]) {
        switch event {
        case .requested(let connection, let frame) where run.connections[connection].port == nil:
            for message in ClientMessage.all(in: frame) {
                receive(message, on: connection, in: run, into: &steps)
            }
        case .replied(let connection, let frame) where run.connections[connection].port == nil:
            deliver(frame, on: connection, in: run, into: &steps)
        case .clientLost(let connection):
            for name in listens.keys where name.connection == connection {
                let until = listens[name]!.until
                listens[name]!.until = min(until, run.now)
            }
        default: break
        }
        for client in event.clients(in: run) { leave(client, in: run) }
        compareTree(in: run)
        for (sender, output) in run.record.performed ?? [] where sender == node {
            send(output, in: run, into: &steps)
        }
        for client in event.clients(in: run) { compareListeners(of: client, in: run, into: &steps) }
    }

    // MARK: Listens

    /// Ends the listens of a client on connections that it no longer uses.
    private mutating func leave(_ client: Int, in run: SimulatedRun) {
        for (name, listen) in listens
        where listen.client == client && listen.until == .max
            && !run.clients[client].uses(name.connection)
        {
            listens[name]!.until = run.now
        }
    }

    private mutating func receive(
        _ message: ClientMessage, on connection: Int, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        switch message.request {
        case .listen(let listen)
        where overlaps(listen.path) && run.connections[connection].node == node:
            let client = run.connections[connection].client
            listens[Name(connection: connection, id: message.id)] = Listen(
                client: client, path: listen.path, isFiltered: listen.query.isFiltered,
                since: run.now)
            steps.append(
                CourseStep(
                    "\(client.clientName) listens at \(listen.path) at \(node.nodeName), as listen "
                        + "\(message.id)"
                        + (listen.held == nil
                            ? "" : ", and asks for what differs from what it holds"),
                    focus.clients.contains(client) ? .stage : .detail,
                    at: [client.clientName, node.nodeName], in: run))
        case .unlisten(let ended):
            listens[Name(connection: connection, id: ended.listen)]?.until = run.now
        default: break
        }
    }

    private func overlaps(_ other: Path) -> Bool { other.contains(path) || path.contains(other) }

    /// Whether a message of a node changes the location; with the listen.
    private func change(_ message: NodeMessage, on connection: Int) -> (name: Name, text: String)? {
        let (id, writes): (UInt64, [Write]) =
            switch message {
            case .change(let id, let writes): (id, writes)
            case .ranges(let id, let ranges): (id, ranges.flatMap(\.writes))
            default: (0, [])
            }
        let name = Name(connection: connection, id: id)
        guard let listen = listens[name] else { return nil }
        let touching = writes.filter { overlaps(listen.path.appending($0.path)) }
        if touching.isEmpty, !writes.isEmpty { return nil }
        if writes.isEmpty { return (name, "what it holds is right") }
        guard case .ranges(_, let ranges) = message else { return (name, touching.summary) }
        let head = "\(ranges.count) ranges that replace parts of what it holds"
        return (name, "\(head), with \(touching.summary)")
    }

    private mutating func send(
        _ output: Output, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        guard let (session, bytes) = output.reply, session != SimulatedRun.operatorSession,
            !SimulatedRun.isHostile(session), session.number <= UInt64(run.connections.count)
        else { return }
        let connection = Int(session.number) - 1
        for message in NodeMessage.all(in: bytes) {
            guard let (name, text) = change(message, on: connection) else { continue }
            listens[name]!.sent.append(run.now)
            let client = listens[name]!.client
            steps.append(
                CourseStep(
                    "\(node.nodeName) sends \(client.clientName) for listen \(name.id) at "
                        + "\(listens[name]!.path): \(text)",
                    focus.clients.contains(client) ? .stage : .detail,
                    at: [node.nodeName, client.clientName], in: run))
        }
    }

    private mutating func deliver(
        _ bytes: [UInt8], on connection: Int, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        for message in NodeMessage.all(in: bytes) {
            guard let (name, text) = change(message, on: connection) else { continue }
            listens[name]!.received.append(run.now)
            listens[name]!.arrivals.append(run.record.statistics.events)
            let client = listens[name]!.client
            guard focus.clients.contains(client) else { continue }
            steps.append(
                CourseStep(
                    "\(client.clientName) receives for listen \(name.id): \(text)", .stage,
                    at: [client.clientName], in: run))
        }
    }

    // MARK: Values

    private mutating func compareTree(in run: SimulatedRun) {
        guard run.record.performed?.contains(where: { $0.node == node }) == true,
            let value = run.nodes[node].replica?.value[path]
        else { return }
        if changes.last?.value == value { return }
        let step = CourseStep(
            "\(node.nodeName) shows \(value.summary) at \(path)", .stage, at: [node.nodeName],
            in: run)
        changes.append(TreeChange(step: step, value: value))
    }

    private mutating func compareListeners(
        of client: Int, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        for (index, listener) in run.clients[client].observedListeners.enumerated() {
            guard listener.path.contains(path), listener.node == node, let value = listener.shown
            else { continue }
            let part = value[path.relative(to: listener.path)]
            guard shown[[client, index]] != part else { continue }
            shown[[client, index]] = part
            history.append((run.now, client, part))
            steps.append(
                CourseStep(
                    "the listener of \(client.clientName) at \(listener.path) shows \(part.summary) at "
                        + "\(path)", focus.clients.contains(client) ? .stage : .detail,
                    at: [client.clientName], in: run))
        }
    }

    // MARK: The end

    /// The run is over: marks the first change that did not reach a listener of the focus.
    func finish(into steps: inout [CourseStep]) {
        let own = listens.filter { focus.clients.contains($0.value.client) && !$0.value.isFiltered }
            .sorted { ($0.value.since, $0.key.id) < ($1.value.since, $1.key.id) }
        for (index, change) in changes.enumerated() {
            let next = index + 1 < changes.count ? changes[index + 1].step.time : .max
            let end = max(next, change.step.time + ListenerTrail.patience)
            for (_, listen) in own
            where listen.since < change.step.time && change.step.time < listen.until {
                let isSent = listen.sent.contains { change.step.time...end ~= $0 }
                let isReceived = listen.received.contains { change.step.time...end ~= $0 }
                if isSent && (isReceived || listen.until < end) { continue }
                return steps.append(step(for: change, listen, isSent: isSent, until: end))
            }
        }
        if let step = unshown(own.map(\.value)) { steps.append(step) }
    }

    /// A received value that a listener of the focus did not show; nil if there is none.
    private func unshown(_ listens: [Listen]) -> CourseStep? {
        for listen in listens {
            for (received, event) in zip(listen.received, listen.arrivals) {
                guard let change = changes.last(where: { $0.step.time <= received }) else {
                    continue
                }
                let end = received + ListenerTrail.patience
                let isFinal = !changes.contains { change.step.time + 1...end ~= $0.step.time }
                let before = history.last { $0.client == listen.client && $0.time <= received }
                let after = history.filter {
                    $0.client == listen.client && received...end ~= $0.time
                }
                guard isFinal, end < listen.until, before?.value != change.value,
                    !after.contains(where: { $0.value == change.value })
                else { continue }
                var step = change.step
                (step.time, step.event) = (received, event)
                let name = listen.client.clientName
                step.text =
                    "\(name) has received what \(node.nodeName) shows at \(path), "
                    + "\(change.value.summary), and its listener at \(listen.path) goes on showing "
                    + ((after.last ?? before)?.value.summary ?? "nothing")
                (step.weight, step.isDeviation) = (.decisive, true)
                return step
            }
        }
        return nil
    }

    private func step(
        for change: TreeChange, _ missed: Listen, isSent: Bool, until end: Microseconds
    ) -> CourseStep {
        var step = change.step
        let name = "the listener of \(missed.client.clientName) at \(missed.path)"
        step.text +=
            isSent
            ? ", sends this to \(name), which never receives it"
            : ", and sends nothing about it to \(name)"
        let others = listens.values.filter { other in
            other.client != missed.client && other.since < step.time
                && (step.time < other.until || other.sent.contains { step.time...end ~= $0 })
        }.sorted { $0.client < $1.client }
        let texts = others.map { other in
            let isTold = other.sent.contains { step.time...end ~= $0 }
            return
                "\(isTold ? "it sends it" : "nothing") to that of \(other.client.clientName) at \(other.path)"
        }
        if !texts.isEmpty { step.text += "; " + texts.joined(separator: ", ") }
        (step.weight, step.isDeviation) = (.decisive, true)
        return step
    }
}

extension Output {
    /// A frame for a client.
    fileprivate var reply: (session: SessionID, bytes: [UInt8])? {
        switch self {
        case .reply(let session, let bytes): (session, bytes)
        case .replyLarge(let session, let frame): (session, frame.encoded)
        default: nil
        }
    }
}

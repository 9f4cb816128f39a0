import ReplicaCore
import SyncProtocol

/// Follows the frames of a run from the event that sends each to the event at which it arrives.
struct RecordedMessages {
    /// The name of a frame; frames with equal names arrive in the order of sending.
    fileprivate struct Name: Hashable {
        var kind: String
        var from: Int
        var to: Int
        var bytes: [UInt8]
    }

    private var onTheirWay: [Name: [Int]] = [:]
    /// Frames that arrived at a node that could not accept them, and are scheduled once more.
    private var arrived: [Name: Int] = [:]

    /// An event was executed, which is about to be added to the record.
    ///
    /// - Parameter scheduled: What it scheduled.
    mutating func observe(
        _ event: Event, scheduled: [Event], in run: SimulatedRun, into columns: inout RecordColumns
    ) {
        if let name = Name(event, in: run) { receive(name, in: run, into: &columns) }
        var sent: [Name] = []
        for event in scheduled {
            guard let name = Name(event, in: run) else { continue }
            sent.append(name)
            if let message = arrived.removeValue(forKey: name), !run.hasSent(name.from) {
                onTheirWay[name, default: []].append(message)
                continue
            }
            let message = columns.addMessage(
                name.kind, sentAt: columns.nextEvent, from: name.from, to: name.to, .onItsWay)
            onTheirWay[name, default: []].append(message)
        }
        for (node, output) in run.record.performed ?? [] {
            addLost(output, of: node, sent, in: run, into: &columns)
        }
    }

    private mutating func receive(
        _ name: Name, in run: SimulatedRun, into columns: inout RecordColumns
    ) {
        guard let message = onTheirWay[name]?.first else { return }
        onTheirWay[name]?.removeFirst()
        if onTheirWay[name]?.isEmpty == true { onTheirWay[name] = nil }
        if !run.accepts(name.from, name.to) { arrived[name] = message }
        columns.receive(message: message, at: columns.nextEvent)
    }

    /// Adds the frames of an output for which no arrival was scheduled.
    private func addLost(
        _ output: Output, of node: Int, _ sent: [Name], in run: SimulatedRun,
        into columns: inout RecordColumns
    ) {
        let (kind, receivers): (String, [Int]) =
            switch output {
            case .publish: ("published", run.nodes.indices.filter { $0 != node })
            case .ask(let member, _):
                ("asked", run.nodes.indices.filter { run.nodes[$0].name == member })
            case .answer(let member, _):
                ("answered", run.nodes.indices.filter { run.nodes[$0].name == member })
            default: ("", [])
            }
        for receiver in receivers
        where !sent.contains(where: {
            $0.kind == kind && $0.from == node && $0.to == receiver
        }) {
            _ = columns.addMessage(
                kind, sentAt: columns.nextEvent, from: node, to: receiver, .lost)
        }
    }
}

extension RecordedMessages.Name {
    /// The frame that arrives in an event; nil if none does.
    fileprivate init?(_ event: Event, in run: SimulatedRun) {
        switch event {
        case .published(let frame): self.init("published", frame)
        case .asked(let frame): self.init("asked", frame)
        case .answered(let frame): self.init("answered", frame)
        case .requested(let connection, let frame):
            let (client, node) = run.lanes(of: connection)
            self.init(kind: "requested", from: client, to: node, bytes: frame)
        case .replied(let connection, let frame):
            let (client, node) = run.lanes(of: connection)
            self.init(kind: "replied", from: node, to: client, bytes: frame)
        default: return nil
        }
    }

    private init(_ kind: String, _ frame: PeerFrame) {
        self.init(kind: kind, from: frame.from, to: frame.to, bytes: frame.bytes)
    }
}

extension SimulatedRun {
    /// The lanes of both ends of a connection.
    fileprivate func lanes(of connection: Int) -> (client: Int, node: Int) {
        (nodes.count + connections[connection].client, connections[connection].node)
    }

    /// Whether a node takes a frame that arrives, or lets it wait; clients take all.
    fileprivate func accepts(_ from: Int, _ to: Int) -> Bool {
        guard to < nodes.count, from < nodes.count else { return true }
        return !network.isClogged(from: from, to: to) && nodes[to].state != .paused
    }

    /// Whether a node sent anything in the last event; clients are not observed.
    fileprivate func hasSent(_ lane: Int) -> Bool {
        lane >= nodes.count || record.performed?.contains { $0.node == lane } == true
    }
}

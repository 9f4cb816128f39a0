import JSONText
import ReplicaCore
import Store
import SyncProtocol

/// One event of a run as people read it, and as a line of a trace has it.
public struct TracedEvent: Sendable {
    /// Counted from 1.
    public let number: UInt64
    let time: Microseconds
    /// What happens: `turn`, `published`, `requested`, `fault`, …
    let kind: String
    /// The node or client to which it happens; nil if it concerns all.
    let subject: String?
    /// The node or client that a frame comes from.
    let source: String?
    /// The messages of a frame, or the fault.
    let says: [String]
    /// The outputs of a node in the event.
    let does: [String]
    /// The hash of the run up to here.
    public let hash: UInt64

    /// An event that a run has just executed.
    init(_ event: Event, in run: SimulatedRun) {
        number = run.record.statistics.events
        time = run.now
        hash = run.trace.bits
        let parts = EventParts(event, in: run)
        (kind, subject, source) = (parts.kind, parts.subject, parts.source)
        says = parts.says.map(run.record.names.applied)
        does =
            run.record.performed?.compactMap { EventParts.text(of: $1, by: $0, in: run) }
            .map(run.record.names.applied) ?? []
    }

    /// As in `1.204500 s  n1 -> n2  published  batch n1#4: /a 5`.
    public var text: String {
        var words = [time.description]
        if let subject { words.append(source.map { "\($0) -> \(subject)" } ?? subject) }
        words.append(kind)
        if !says.isEmpty { words.append(says.joined(separator: "; ")) }
        if !does.isEmpty { words.append("(" + does.joined(separator: "; ") + ")") }
        return words.joined(separator: "  ").cut(to: 400)
    }
}

/// The parts of an event in words.
private struct EventParts {
    var kind: String
    var subject: String?
    var source: String?
    var says: [String] = []

    init(_ event: Event, in run: SimulatedRun) {
        switch event {
        case .turn(let node, _): self.init("turn", node.nodeName)
        case .tick(let node, _): self.init("tick", node.nodeName)
        case .published(let frame): self.init("published", frame)
        case .asked(let frame): self.init("asked", frame)
        case .answered(let frame): self.init("answered", frame)
        case .diskWorked(let node, _): self.init("disk", node.nodeName)
        case .interrupted(let node, _): self.init("interrupted", node.nodeName)
        case .requested(let connection, let frame):
            let (client, node) = EventParts.ends(of: connection, in: run)
            self.init("requested", node, from: client)
            says =
                run.connections[connection].port == nil
                ? FrameText.client(frame) : FrameText.bytes(frame)
        case .replied(let connection, let frame):
            let (client, node) = EventParts.ends(of: connection, in: run)
            self.init("replied", client, from: node)
            says =
                run.connections[connection].port == nil
                ? FrameText.node(frame) : FrameText.bytes(frame)
        case .nodeLost(let connection):
            let (client, node) = EventParts.ends(of: connection, in: run)
            self.init("connection lost", node, from: client)
        case .clientLost(let connection):
            let (client, node) = EventParts.ends(of: connection, in: run)
            self.init("connection lost", client, from: node)
        case .clientActs(let client): self.init("acts", client.clientName)
        case .clientGivesUp(let client, _): self.init("gives up", client.clientName)
        case .clientMoves(let client): self.init("moves", client.clientName)
        case .clientTurns(let client): self.init("client turn", client.clientName)
        case .clientRecalls(let client): self.init("value read", client.clientName)
        case .duplicateTurns(let index):
            self.init("duplicate turn", run.record.duplicateNodes[index].node.nodeName)
        case .scripted(let index):
            self.init("fault", nil)
            let action = run.scenario.script[index].action
            switch action {
            case .fault: break
            case .request(let client, _): self.init("script", client.clientName)
            case .expectation(let expectation): self.init("script", expectation.node.nodeName)
            }
            says = [action.text(in: run.scenario)]
        case .flapped(let from, let to, _):
            self.init("flapped", to.nodeName, from: from.nodeName)
        case .quiescence: self.init("all faults end", nil)
        case .quiescenceChecked: self.init("quiescence checked", nil)
        }
    }

    private init(_ kind: String, _ subject: String?, from source: String? = nil) {
        (self.kind, self.subject, self.source) = (kind, subject, source)
    }

    private init(_ kind: String, _ frame: PeerFrame) {
        self.init(kind, frame.to.nodeName, from: frame.from.nodeName)
        says = FrameText.peers(frame.bytes)
    }

    private static func ends(
        of connection: Int, in run: SimulatedRun
    ) -> (client: String, node: String) {
        (run.connections[connection].client.clientName, run.connections[connection].node.nodeName)
    }

    // MARK: What nodes do

    /// An output of a node; nil for one that says nothing.
    static func text(of output: Output, by node: Int, in run: SimulatedRun) -> String? {
        switch output {
        case .store(let turn):
            let batches = turn.batches.map { "\(BatchText($0.bytes))" }
            return batches.isEmpty ? nil : "stores " + batches.joined(separator: "; ")
        case .synchronize: return "synchronizes"
        case .publish(let frame, _):
            return "publishes " + FrameText.peers(frame).joined(separator: "; ")
        case .ask(let member, let frame):
            return "asks \(member): " + FrameText.peers(frame).joined(separator: "; ")
        case .answer(let member, let frame):
            return "answers \(member): " + FrameText.peers(frame).joined(separator: "; ")
        case .reply(let session, let frame):
            return "tells \(client(of: session, in: run)): "
                + FrameText.node(frame).joined(separator: "; ")
        case .replyLarge(let session, _):
            return "tells \(client(of: session, in: run)) a large value"
        case .replyMessages(let session, let answers):
            return "tells \(client(of: session, in: run)): "
                + answers.map { $0.message.summary }.joined(separator: "; ")
        case .perform(let request): return text(of: request)
        case .backUp: return "copies its database"
        case .giveUp(let problem, _): return "gives up: \(problem)"
        case .free: return "frees what was removed"
        case .pauseReading(let session):
            return "reads nothing more from \(client(of: session, in: run))"
        case .resumeReading(let session):
            return "reads from \(client(of: session, in: run)) again"
        case .serve: return "serves"
        }
    }

    private static func client(of session: SessionID, in run: SimulatedRun) -> String {
        guard session != SimulatedRun.operatorSession else { return "the operator" }
        if SimulatedRun.isHostile(session) { return "a hostile client" }
        // A session that polls is none of a connection.
        guard session.number <= UInt64(run.connections.count) else { return "a client that polls" }
        return run.connections[Int(session.number) - 1].client.clientName
    }

    private static func text(of request: StoreRequest) -> String {
        switch request {
        case .readBatches(let read): "reads \(read.origin)#\(read.from)..\(read.through)"
        case .searchLog: "reads its log for a client"
        case .writeCheckpoint: "begins a checkpoint"
        case .continueCheckpoint: "writes a slice of its checkpoint"
        case .truncate: "truncates its log"
        case .readRows(let read): "reads rows after \(read.after)"
        case .receive(let rows, _): "receives \(rows.count) rows"
        case .install: "installs a checkpoint"
        case .keepOrphans(let origin, let sequence, _): "keeps orphans from \(origin)#\(sequence)"
        }
    }
}

extension Int {
    /// The name of a client, counted from 0.
    var clientName: String { "c\(self + 1)" }
}

// MARK: - As JSON

extension TracedEvent {
    /// The event as one JSON object; `Simulations/README.md` describes its members.
    public var json: String {
        var members = [
            "\"event\":\(number)", "\"time\":\(time.inSeconds)", "\"kind\":\(text(kind))",
        ]
        if let subject { members.append("\"at\":\(text(subject))") }
        if let source { members.append("\"from\":\(text(source))") }
        if !says.isEmpty { members.append("\"says\":[\(says.map(text).joined(separator: ","))]") }
        if !does.isEmpty { members.append("\"does\":[\(does.map(text).joined(separator: ","))]") }
        members.append("\"hash\":\"\(hash.hexadecimal)\"")
        return "{" + members.joined(separator: ",") + "}"
    }

    private func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
}

extension UInt64 {
    /// Sixteen hexadecimal digits.
    public var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

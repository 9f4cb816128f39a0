import SyncProtocol

/// A possible next step in a universe.
enum UniverseStep: Equatable {
    /// A client sends its next request.
    case requested(client: Int)
    /// The oldest frame on a way arrives.
    case arrived(FrameWay)
    case turned(node: Int)
    /// The disk of a node does the oldest of its jobs.
    case worked(node: Int)
    case started(node: Int)
    /// The power of a node goes, after its disk has done so many jobs of which the process does not learn.
    case crashed(node: Int, after: Int)
    /// Time passes at a node without any input.
    case ticked(node: Int)
    /// The oldest frame published on a way is lost.
    case lost(FrameWay)

    /// Whether it has to happen before a schedule can end.
    var isRequired: Bool {
        switch self {
        case .requested, .arrived, .turned, .worked, .started: true
        case .crashed, .ticked, .lost: false
        }
    }
}

/// A way that frames take from one node to another, in order.
struct FrameWay: Equatable {
    enum Kind: Int, CaseIterable {
        case published, asked, answered
    }

    var kind: Kind
    var from: Int
    var to: Int
}

/// A frame on its way.
struct UniverseFrame {
    var bytes: [UInt8]
    var hash: UInt64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var hash = TraceHash()
        hash.combine(bytes)
        self.hash = hash.bits
    }
}

extension UniverseStep {
    /// The step in words, before it happens.
    func text(in universe: Universe) -> String {
        switch self {
        case .requested(let client):
            let request = universe.clients[client].next.map { "\($0.kind)" } ?? "nothing"
            return "\(client.clientName) asks \(universe.clients[client].node.nodeName): \(request)"
        case .arrived(let way): return "\(way.text)  \(universe.text(of: way))"
        case .lost(let way): return "\(way.text)  lost: \(universe.text(of: way))"
        case .turned(let node): return "\(node.nodeName) takes a turn"
        case .worked(let node):
            return "\(node.nodeName)'s disk \(universe.nodes[node].jobs[0].text)"
        case .started(let node): return "\(node.nodeName) starts"
        case .crashed(let node, let count):
            return "the power of \(node.nodeName) goes, \(count) of "
                + "\(universe.nodes[node].jobs.count) jobs of its disk are done"
        case .ticked(let node):
            return "\(UniverseNode.tickMilliseconds) ms pass at \(node.nodeName)"
        }
    }
}

extension FrameWay {
    /// As in `n1 -> n2  published`.
    fileprivate var text: String { "\(from.nodeName) -> \(to.nodeName)  \(kind)" }
}

extension UniverseNode.Job {
    fileprivate var text: String {
        switch self {
        case .commit(let turn):
            let batches = turn.batches.map { "\(BatchText($0.bytes))" }
            return "stores "
                + (batches.isEmpty ? "what it knows" : batches.joined(separator: "; "))
        case .perform: return "does what the replica requests of it"
        }
    }
}

import DataTree
import SyncProtocol

/// Facts of a run that tell causes of a failure apart: the order of writes at a location, and the requests for missing operations.
struct FindingClues {
    private struct Located {
        var dot: Dot
        var operation: Operation
        var arrival: Microseconds
    }

    private let nodes: [String]
    private var arrivals: Arrivals
    private var operations: [(dot: Dot, operation: Operation)] = []
    private var names = { (text: String) in text }
    /// By name of the node that asks: how many requests arrived at peers, and when the last one did.
    private var requests: [String: (count: Int, last: Microseconds)] = [:]

    init(nodes: [String]) {
        self.nodes = nodes
        arrivals = Arrivals(nodes: nodes.count)
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun) {
        arrivals.observe(run)
        guard case .asked(let frame) = event,
            PeerMessage.all(in: frame.bytes).contains(where: \.requestsBatches)
        else { return }
        let asker = frame.from.nodeName
        requests[asker] = ((requests[asker]?.count ?? 0) + 1, run.now)
    }

    /// The run is over.
    mutating func finish(_ run: SimulatedRun) {
        operations = run.record.archive.operations
        let known = run.record.names
        names = { known.applied(to: $0) }
    }

    /// How many requests for missing operations each node has sent, in one sentence.
    var repairs: String {
        let counts = nodes.map { node in
            guard let (count, last) = requests[node] else { return "\(node) none" }
            return "\(node) \(count), the last at \(last.description)"
        }
        return "Requests for missing operations that arrived at peers: "
            + counts.joined(separator: "; ") + "."
    }

    /// Which write at the location of a finding is the newest, and which one arrived last at its node; nil without two writes.
    func order(of finding: RunFinding) -> String? {
        guard let node = finding.nodes.first, let path = finding.path else { return nil }
        let located = operations.filter { $0.operation.touches(path) }.compactMap {
            dot, operation in
            arrivals[dot, node].map { Located(dot: dot, operation: operation, arrival: $0) }
        }.filter { $0.arrival <= finding.time }
        // None of the operations that arrived together is late.
        guard located.count > 1, let newest = located.last,
            let end = located.map(\.arrival).max(),
            let latest = located.last(where: { $0.arrival == end })
        else { return nil }
        let head = "Of the \(located.count) operations at \(path) that \(nodes[node]) holds then, "
        if newest.dot == latest.dot {
            return head + "\(text(of: newest, at: path)) has the newest stamp, and arrived last."
        }
        return head + "\(text(of: newest, at: path)) has the newest stamp; "
            + "\(text(of: latest, at: path)) is older, and arrived last, at "
            + "\(latest.arrival.description)."
    }

    private func text(of located: Located, at path: Path) -> String {
        let writes = located.operation.writes.filter {
            $0.path.contains(path) || path.contains($0.path)
        }
        return names(
            "\(located.dot) (\(writes.summary.cut(to: 100)), stamp \(located.operation.stamp))")
    }
}

extension PeerMessage {
    fileprivate var requestsBatches: Bool {
        if case .requestBatches = self { true } else { false }
    }
}

extension RunFinding {
    /// The location that its text names after the word at.
    fileprivate var path: Path? {
        text.split(separator: " ").lazy.filter { $0.hasPrefix("/") }
            .compactMap { try? Path(String($0.prefix { $0 != ":" && $0 != ";" && $0 != "," })) }
            .first
    }
}

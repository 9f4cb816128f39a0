import Convergence
public import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// The explanation of a location's value: the operations that won and lost there in the order of
/// their stamps, the deciding registers, and the reason why the result is stable.
public struct Explanation {
    /// The location to explain.
    public struct Question: Sendable {
        let path: Path
        /// Counted from 0; nil for all nodes.
        let node: Int?
        /// Nil for the end of the run.
        let time: Microseconds?

        /// - Parameter seconds: Since the beginning of the run.
        public init(path: Path, node: Int?, seconds: Double?) {
            self.path = path
            self.node = node
            time = seconds.map { Microseconds($0 * 1_000_000) }
        }
    }

    private let question: Question
    private let scenario: Scenario
    private let seed: UInt64

    /// An explanation of a place in a run.
    public init(of question: Question, in scenario: Scenario, seed: UInt64) {
        self.question = question
        self.scenario = scenario.drawn(seed: seed)
        self.seed = seed
    }

    /// How many nodes the scenario has.
    public static func nodeCount(of scenario: Scenario, seed: UInt64) -> Int {
        scenario.drawn(seed: seed).cluster.replicas
    }

    /// The explanation for each node that is asked about.
    public var lines: [String] {
        var run = SimulatedRun(scenario, seed: seed)
        var arrivals = Arrivals(nodes: run.nodes.count)
        advance(&run) { _, run in arrivals.observe(run) }
        let nodes = question.node.map { [$0] } ?? Array(run.nodes.indices)
        return nodes.flatMap { node -> [String] in
            let head = "\(node.nodeName) at \(run.now.description)"
            guard let replica = run.nodes[node].replica else { return ["\(head) is down"] }
            let operations = PlaceOperations(
                at: question.path, run.record.archive.batches(in: replica.vector))
            let shown =
                "\(head) shows \(question.path) \(replica.value[question.path].summary)"
            let told =
                [shown] + operations.lines(arrivals, at: node)
                + RegisterPath(to: question.path, through: replica.checkpoint.registers).lines
                + stability(of: operations.deciding, at: node)
            return told.enumerated().map { index, line in
                (index == 0 ? "" : "    ") + run.record.names.applied(to: line)
            }
        }
    }

    /// Runs up to the time of the question.
    private func advance(_ run: inout SimulatedRun, _ body: (Event, SimulatedRun) -> Void) {
        run.begin()
        while let next = run.queue.nextTime, next <= question.time ?? .max, let event = run.step() {
            body(event, run)
        }
    }

    /// The events that made the deciding operation stable, from a second run.
    private func stability(of stamp: Stamp?, at node: Int) -> [String] {
        guard let stamp else { return [] }
        var watch = StabilityWatch(of: stamp, at: node)
        var run = SimulatedRun(scenario, seed: seed)
        advance(&run) { watch.observe($0, in: $1) }
        return watch.lines(run)
    }
}

/// When operations arrived at nodes.
struct Arrivals {
    private var vectors: [[(time: Microseconds, vector: VersionVector)]]

    /// Nothing has arrived yet at so many nodes.
    init(nodes: Int) { vectors = Array(repeating: [], count: nodes) }

    /// An event was executed.
    mutating func observe(_ run: SimulatedRun) {
        for node in run.nodes {
            guard let vector = node.replica?.vector, vectors[node.index].last?.vector != vector
            else { continue }
            vectors[node.index].append((run.now, vector))
        }
    }

    /// Since when a node has had an operation without a break.
    subscript(dot: Dot, node: Int) -> Microseconds? {
        let absent = vectors[node].lastIndex { !$0.vector.covers(dot) }
        let first = absent.map { $0 + 1 } ?? 0
        return first < vectors[node].count ? vectors[node][first].time : nil
    }
}

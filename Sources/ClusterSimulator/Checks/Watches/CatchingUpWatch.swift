import SyncProtocol

/// Compares, at each tick of a node, its operations with those that each reachable peer had made some time before.
struct CatchingUpWatch: Watch {
    /// A node asks each of its peers in turn, half a second each, and its first frames may be lost.
    static let limit: Microseconds = .seconds(5)

    /// The operations that a node had made and stored at a time.
    private struct Made {
        var time: Microseconds
        var dot: Dot
    }

    /// A direction to a node and the other one back, as they were when looked at last.
    private struct Pair {
        var epochs = [0, 0]
        /// Since when both have worked; nil if one does not.
        var since: Microseconds?
    }

    private var pairs: [[Pair]]
    private var made: [[Made]]
    private(set) var count = 0
    private(set) var failure: String?

    init(_ scenario: Scenario, seed: UInt64) { self.init(nodes: scenario.cluster.replicas) }

    init(nodes: Int) {
        pairs = [[Pair]](repeating: [Pair](repeating: Pair(), count: nodes), count: nodes)
        made = [[Made]](repeating: [], count: nodes)
    }

    mutating func ticked(_ node: Int, in run: inout SimulatedRun) {
        guard let standing = run.nodes[node].standing else { return }
        let dot = Dot(
            origin: standing.writer, sequence: run.nodes[node].disk.durable[standing.writer])
        record(dot, of: node, at: run.now)
        for other in run.nodes.indices where other != node {
            let works = run.canExchange(node) && run.canExchange(other) && run.canAsk(node, other)
            let epochs = [
                run.network.epoch(from: node, to: other), run.network.epoch(from: other, to: node),
            ]
            record(node, other, works: works, epochs: epochs, at: run.now)
            check(node, other, holding: standing.vector, at: run.now)
        }
    }

    /// Records how much a node has made and stored.
    mutating func record(_ dot: Dot, of node: Int, at now: Microseconds) {
        made[node].append(Made(time: now, dot: dot))
        // The newest one beyond the limit is still needed.
        while made[node].count > 1, made[node][1].time + CatchingUpWatch.limit <= now {
            made[node].removeFirst()
        }
    }

    /// Records whether both directions between two nodes work.
    mutating func record(
        _ node: Int, _ other: Int, works: Bool, epochs: [Int], at now: Microseconds
    ) {
        let isSame = pairs[node][other].epochs == epochs
        pairs[node][other].epochs = epochs
        if !works {
            pairs[node][other].since = nil
        } else if pairs[node][other].since == nil || !isSame {
            pairs[node][other].since = now
        }
    }

    /// Compares what a node holds with what the other one had made when the limit began.
    mutating func check(
        _ node: Int, _ other: Int, holding vector: VersionVector, at now: Microseconds
    ) {
        guard failure == nil, let since = pairs[node][other].since, let first = made[other].first,
            max(first.time, since) + CatchingUpWatch.limit <= now
        else { return }
        count += 1
        if vector.covers(first.dot) { return }
        failure =
            "\(node.nodeName) holds \(vector[first.dot.origin]) operations of \(other.nodeName) at \(now.description), which had "
            + "made and stored \(first.dot.sequence) at \(first.time.description), and could be asked since "
            + "\(since.description)"
    }
}

extension SimulatedRun {
    /// Whether a node runs, serves, and has a disk that stores its data.
    fileprivate func canExchange(_ node: Int) -> Bool {
        nodes[node].state == .running && nodes[node].isServing && !nodes[node].isOut
            && nodes[node].disk.trouble == nil && nodes[node].slowness == nil
            && nodes[node].hasHandles
    }

    fileprivate func canAsk(_ node: Int, _ other: Int) -> Bool {
        [(node, other), (other, node)].allSatisfy {
            network.isOpen($0, $1) && !network.isClogged(from: $0, to: $1)
        }
    }
}

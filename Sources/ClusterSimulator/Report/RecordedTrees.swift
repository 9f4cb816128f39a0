import DataTree
import ReplicaCore
import SyncProtocol

/// Follows what the nodes of a run hold and show, and what their operations give.
struct RecordedTrees {
    private struct Node {
        var vector = VersionVector()
        var shown = Value.null
        var oracle: EveryTurnOracle
        var isEqual = true
        var stableTime: UInt64 = 0
    }

    private var nodes: [Node]
    private var origins: [WriterID: Int] = [:]
    /// Nodes of runs with too many operations are not compared with what these give.
    private let isCompared: Bool

    init(_ run: SimulatedRun) {
        nodes = run.nodes.indices.map { Node(oracle: EveryTurnOracle(isOn: true, node: $0)) }
        isCompared = run.record.recording.isOn
    }

    /// The number of an origin, which gets one the first time.
    mutating func number(of origin: WriterID, _ names: WriterNames, in columns: inout RecordColumns)
        -> Int
    {
        if let number = origins[origin] { return number }
        let number = columns.addOrigin(names.applied(to: origin.description))
        origins[origin] = number
        return number
    }

    /// An event was executed, which has been added to the record if it says anything.
    mutating func observe(_ run: inout SimulatedRun, into columns: inout RecordColumns) {
        for node in nodes.indices {
            guard let standing = run.nodes[node].standing else { continue }
            let shown = run.nodes[node].shown()
            let holdsMore = standing.vector != nodes[node].vector
            if holdsMore { hold(standing.vector, at: node, in: run, into: &columns) }
            if standing.stableTime.milliseconds != nodes[node].stableTime {
                nodes[node].stableTime = standing.stableTime.milliseconds
                columns.addStableTime(
                    nodes[node].stableTime, of: node, at: max(0, columns.lastEvent))
            }
            guard holdsMore || !shown.isSame(as: nodes[node].shown) else { continue }
            show(shown, at: node, into: &columns)
        }
    }

    private mutating func hold(
        _ vector: VersionVector, at node: Int, in run: SimulatedRun,
        into columns: inout RecordColumns
    ) {
        let before = nodes[node].vector
        nodes[node].vector = vector
        for (origin, sequence) in vector.entries where before[origin] != sequence {
            columns.addHolding(
                of: node, origin: number(of: origin, run.record.names, in: &columns),
                upTo: sequence,
                at: max(0, columns.lastEvent))
        }
        let lost = before.entries.filter { vector[$0.origin] < $0.sequence }
        for (origin, _) in lost where vector[origin] == 0 {
            columns.addHolding(
                of: node, origin: number(of: origin, run.record.names, in: &columns), upTo: 0,
                at: max(0, columns.lastEvent))
        }
        guard isCompared else { return }
        if !lost.isEmpty { nodes[node].oracle = EveryTurnOracle(isOn: true, node: node) }
        nodes[node].oracle.add(
            lost.isEmpty
                ? run.record.archive.batches(in: vector, after: before)
                : run.record.archive.batches(in: vector))
    }

    private mutating func show(_ shown: Value, at node: Int, into columns: inout RecordColumns) {
        let event = max(0, columns.lastEvent)
        let changes = Change.list(from: nodes[node].shown, to: shown)
        if !changes.isEmpty { columns.addTree(changes, of: node, at: event) }
        nodes[node].shown = shown
        guard isCompared else { return }
        let isEqual = shown == nodes[node].oracle.expected
        if isEqual, nodes[node].isEqual { return }
        nodes[node].isEqual = isEqual
        let differences = Change.list(from: shown, to: nodes[node].oracle.expected)
        columns.addDifference(Array(differences.prefix(50)), of: node, at: event)
    }
}

extension Change {
    /// The changes that make one tree of another.
    fileprivate static func list(from old: Value, to new: Value) -> [Change] {
        var changes: [Change] = []
        append(from: old, to: new, at: .root, into: &changes)
        return changes
    }
}

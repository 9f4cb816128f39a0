import ReplicaCore
import SyncProtocol

/// The course of one request through a run: which node had the write when, as which operation, and which has it no more.
struct OperationCourse {
    /// An operation that was made of the write, at a node.
    private struct Holding: Hashable {
        var node: Int
        var dot: Dot
    }

    private let name: ClientOperation.Name
    private let client: (index: Int, node: Int?)
    private let isRead: Bool
    /// The operations that nodes made of it: more than one if it was done again.
    private let dots: [Dot]
    private var held: Set<Holding> = []
    private var everHeld: Set<Holding> = []
    private var lines: [String]
    /// The event at which a node had it no more, at which it was done again, or at which its client was told the outcome: the
    /// first of these that there is.
    private(set) var event: UInt64 = 0
    private(set) var time: Microseconds = 0
    private var weight = Weight.none

    /// How much an event of the course explains.
    private enum Weight: Comparable {
        case none, arrival, outcome, repetition, loss
    }

    /// The course of the request with this name, as far as a run knows it that is over.
    init?(of name: ClientOperation.Name, in run: SimulatedRun) {
        let operation = run.record.history.operations.first { $0.operationName == name }
        guard let operation else { return nil }
        self.name = name
        client = (operation.client, operation.node)
        isRead = operation.isRead
        let known =
            operation.servings.compactMap(\.made)
            + [operation.acknowledged?.dot].compactMap(\.self)
        dots = known.indices.filter { known.firstIndex(of: known[$0]) == $0 }.map { known[$0] }
        lines = [run.record.names.applied(to: operation.line)]
    }

    /// An event was executed by a further run with the same seed.
    mutating func observe(_ event: Event, in run: SimulatedRun) {
        for node in run.nodes {
            guard let vector = node.replica?.vector else { continue }
            for dot in dots { compare(vector, dot, at: node, in: run) }
        }
        let operation = run.record.history.operations.last { $0.operationName == name }
        guard let operation, operation.completed == run.now else { return }
        let told = "its client is told: \(operation.outcome)"
        guard operation.outcome == .acknowledged, let node = client.node,
            isMissingOnDisk(of: run.nodes[node], in: run)
        else { return add(told, .outcome, in: run) }
        add("\(told), before it is on the disk of \(run.nodes[node].name)", .loss, in: run)
    }

    /// Whether a node that acknowledges writes only once they are on its disk has not stored this one.
    private func isMissingOnDisk(of node: VirtualNode, in run: SimulatedRun) -> Bool {
        guard !isRead, !dots.isEmpty, run.scenario.cluster.durability == .commit else {
            return false
        }
        return !dots.contains { node.disk.durable.covers($0) }
    }

    private mutating func compare(
        _ vector: VersionVector, _ dot: Dot, at node: VirtualNode, in run: SimulatedRun
    ) {
        let holding = Holding(node: node.index, dot: dot)
        let wasHeld = held.contains(holding)
        guard vector.covers(dot) != wasHeld else { return }
        if wasHeld {
            held.remove(holding)
            return add("\(node.name) has \(dot) no more", .loss, in: run)
        }
        let isRepetition =
            everHeld.contains { $0.dot != dot } && !everHeld.contains { $0.dot == dot }
        let isNew = everHeld.insert(holding).inserted
        held.insert(holding)
        add(
            "\(node.name) has it as \(dot)\(isNew ? "" : " again")",
            isRepetition ? .repetition : .arrival, in: run)
    }

    private mutating func add(_ text: String, _ weight: Weight, in run: SimulatedRun) {
        let line = "\(run.now.description)  \(run.record.names.applied(to: text))"
        if lines.last == line { return }
        lines.append(line)
        guard weight > self.weight else { return }
        self.weight = weight
        (event, time) = (run.record.statistics.events, run.now)
    }

    /// The lines that tell it, and who is concerned.
    func finish(_ run: SimulatedRun) -> (lines: [String], nodes: [Int], clients: [Int]) {
        let holders = Set(everHeld.map(\.node))
        let missing = run.nodes.filter { $0.belongs && !holders.contains($0.index) }.map(\.name)
        var lines = lines
        if dots.isEmpty {
            if !isRead { lines.append("no node made an operation of it") }
        } else if !missing.isEmpty, !isRead {
            lines.append(missing.joined(separator: " and ") + " never had it")
        }
        let nodes = holders.union([client.node].compactMap(\.self)).sorted()
        return (lines, nodes, [client.index])
    }
}

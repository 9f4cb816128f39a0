import ReplicaCore

// Partitions of nodes and clients.

/// Members of different groups cannot reach each other; or no frame gets from one to another, while the
/// opposite direction stays open.
struct Partition: Fault {
    static let name = "partition"

    enum Sides: Equatable {
        case groups([[Endpoint]])
        case oneWay(from: Endpoint, to: Endpoint)
    }

    var sides: Sides

    init(_ sides: Sides) { self.sides = sides }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        let first = try line.endpoint(in: scenario)
        if line.peek.text == "->" {
            _ = line.removeFirst()
            sides = .oneWay(from: first, to: try line.endpoint(in: scenario))
            return
        }
        var groups = [[first]]
        while !line.isAtEnd {
            if line.peek.text == "|" {
                _ = line.removeFirst()
                groups.append([])
            }
            groups[groups.count - 1].append(try line.endpoint(in: scenario))
        }
        guard groups.count > 1 else {
            throw .expected("\"|\" and the other side of the partition", found: line.peek)
        }
        sides = .groups(groups)
    }

    func words(in scenario: Scenario) -> String {
        switch sides {
        case .groups(let groups):
            groups.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " | ")
        case .oneWay(let from, let to): "\(from.text) -> \(to.text)"
        }
    }

    func apply(to run: inout SimulatedRun) {
        let nodes = run.nodes.count
        switch sides {
        case .groups(let groups):
            run.network.partition(groups.map { $0.map { $0.number(after: nodes) } }, at: run.now)
        case .oneWay(let from, let to):
            run.network.cut(
                from: from.number(after: nodes), to: to.number(after: nodes), at: run.now)
        }
        run.record.statistics.partitions += 1
    }

    static let drawn = [
        DrawnFault.pair(name) { first, _, plan in split(plan.nodes, from: first, &plan) },
        DrawnFault.pair("one-way") { from, to, _ in
            Partition(.oneWay(from: .node(from), to: .node(to)))
        },
    ]

    /// Splits the nodes in two, neither of which is empty.
    private static func split(
        _ nodes: Range<Int>, from first: Int, _ plan: inout FaultPlan
    ) -> any Fault {
        var groups: [[Endpoint]] = [[.node(first)], []]
        for node in nodes where node != first {
            groups[plan.random.index(below: 2)].append(.node(node))
        }
        return groups[1].isEmpty ? Isolate(node: first) : Partition(.groups(groups))
    }
}

/// A node is partitioned from all other nodes.
struct Isolate: NodeFault {
    static let name = "isolate"
    var node: Int

    func apply(to run: inout SimulatedRun) {
        run.network.partition([[node], run.nodes.indices.filter { $0 != node }], at: run.now)
        run.record.statistics.partitions += 1
    }

    static let drawn = [
        DrawnFault.pair(name) { node, _, _ in Isolate(node: node) },
        DrawnFault(
            name: "isolate-in-turn",
            draw: .links { plan, start, _ in plan.isolateInTurn(from: start) }),
    ]
}

extension FaultPlan {
    /// Isolates nodes one after the other, each for longer than a lease, and some again.
    /// Coordinators of transactions therefore follow each other. One that does not know its
    /// successor becomes the successor of that.
    fileprivate mutating func isolateInTurn(from start: Microseconds) {
        var time = start
        var last = nodes.count
        for _ in 0..<3 + random.index(below: 4) {
            var node = random.index(below: min(nodes.count, 3))
            if node == last { node = (node + 1) % nodes.count }
            add(Isolate(node: node), at: time)
            last = node
            time += scenario.cluster.lease + random.number(below: 2 * scenario.cluster.lease)
            time -= time % 1_000
        }
        occupyNetwork(until: time)
    }
}

/// Each node reaches the two beside it alone, so that each sees a majority and no two the same.
struct Ring: PlainFault {
    static let name = "ring"

    func apply(to run: inout SimulatedRun) {
        run.network.makeRing(at: run.now)
        run.record.statistics.partitions += 1
    }

    static let drawn = [
        DrawnFault.pair(name) { _, _, plan in plan.nodes.count > 3 ? Ring() : nil }
    ]
}

/// Every fault of the network ends.
struct Heal: PlainFault {
    static let name = "heal"

    func apply(to run: inout SimulatedRun) {
        run.network.heal(at: run.now)
        for node in run.nodes.indices { run.releaseWaiting(for: node) }
    }
}

/// An end of a connection.
enum Endpoint: Equatable, Sendable {
    case node(Int)
    case client(Int)

    /// As the network counts it: nodes, then clients.
    fileprivate func number(after nodes: Int) -> Int {
        switch self {
        case .node(let node): node
        case .client(let client): nodes + client
        }
    }

    fileprivate var text: String {
        switch self {
        case .node(let node): node.nodeName
        case .client(let client): "c\(client + 1)"
        }
    }
}

extension ScenarioLine {
    fileprivate mutating func endpoint(in scenario: Scenario) throws(ScenarioError) -> Endpoint {
        if peek.text.hasPrefix("c") {
            return .client(try removeFirst().client(among: scenario.clients.total))
        }
        return .node(try node(in: scenario))
    }
}

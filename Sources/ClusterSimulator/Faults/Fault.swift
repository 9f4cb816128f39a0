import ReplicaCore

/// One kind of fault, all in one place: how a scenario says it, what it does to a run, and what a seed draws
/// of it. `FaultTable` lists all kinds.
protocol Fault: FaultStatement {
    func apply(to run: inout SimulatedRun)
    /// What the line `faults` of a scenario draws of it; most are drawn under one name.
    static var drawn: [DrawnFault] { get }
}

extension Fault {
    static var drawn: [DrawnFault] { [] }
}

/// A fault of one node, without further operands.
protocol NodeFault: Fault {
    var node: Int { get }
    init(node: Int)
}

extension NodeFault {
    static var grammar: String { "node" }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        self.init(node: try line.node(in: scenario))
    }

    func words(in scenario: Scenario) -> String { node.nodeName }
}

/// A fault of one node that has no effect without peers.
protocol PeerFault: NodeFault {}

extension PeerFault {
    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        self.init(node: try line.nodeWithPeers(in: scenario))
    }
}

/// A fault of one direction between two nodes.
protocol DirectionFault: Fault {
    var from: Int { get }
    var to: Int { get }
    init(from: Int, to: Int)
}

extension DirectionFault {
    static var grammar: String { "node \"->\" node" }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        let (from, to) = try line.direction(in: scenario)
        self.init(from: from, to: to)
    }

    func words(in scenario: Scenario) -> String { "\(from.nodeName) -> \(to.nodeName)" }
}

/// A fault without operands.
protocol PlainFault: Fault {
    init()
}

extension PlainFault {
    static var grammar: String { "" }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) { self.init() }

    func words(in scenario: Scenario) -> String { "" }
}

/// What a seed draws under one name of the line `faults`.
struct DrawnFault: Sendable {
    /// A fault of a node, what ends it, and what comes after that.
    struct Course {
        var fault: any FaultStatement
        var ending: (any FaultStatement)?
        /// Follows once the node has stayed in the state after the ending for the length of another fault.
        var sequel: (any FaultStatement)?
        /// How much longer than drawn it lasts.
        var extra: Microseconds = 0

        init(_ fault: any FaultStatement, until ending: (any FaultStatement)? = nil) {
            self.fault = fault
            self.ending = ending
        }
    }

    enum Draw: Sendable {
        case node(@Sendable (_ node: Int, inout FaultPlan) -> Course)
        /// A fault of the network, which the next heal ends; nil if the cluster is too small for it.
        case network(@Sendable (inout FaultPlan) -> (any FaultStatement)?)
        /// Faults of the network from one time to the heal at another.
        case links(@Sendable (inout FaultPlan, _ start: Microseconds, _ end: Microseconds) -> Void)
        /// Writes the script itself.
        case script(@Sendable (inout FaultPlan, _ time: Microseconds) -> Void)
    }

    let name: String
    /// Whether the fault needs peers, or a node to carry it out.
    var needsPeers = false
    /// Names under which nothing is drawn in the same run.
    var excluded: [String] = []
    let draw: Draw
}

extension DrawnFault {
    /// A fault of a node, and what ends it.
    static func of(
        _ fault: (some NodeFault).Type, until ending: (any NodeFault.Type)? = nil,
        needsPeers: Bool = false
    ) -> DrawnFault {
        DrawnFault(
            name: fault.name, needsPeers: needsPeers,
            draw: .node { node, _ in .init(fault.init(node: node), until: ending?.init(node: node))
            })
    }

    static func of(_ fault: (some DirectionFault).Type) -> DrawnFault {
        DrawnFault(
            name: fault.name,
            draw: .network { plan in plan.drawPair().map { fault.init(from: $0, to: $1) } })
    }
}

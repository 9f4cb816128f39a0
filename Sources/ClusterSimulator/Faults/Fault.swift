import ReplicaCore

/// One kind of fault, all in one place: how a scenario says it, what it does to a run, and what a seed draws
/// of it. `FaultTable` lists all kinds. Nodes and clients are counted from 0.
protocol Fault: Equatable, Sendable {
    /// The word with which a scenario names it; `Simulations/README.md` says what may follow.
    static var name: String { get }
    /// Reads what follows the name.
    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError)
    /// The operands that follow the name in a scenario.
    func words(in scenario: Scenario) -> String
    func apply(to run: inout SimulatedRun)
    /// The draws of the line `faults`; most faults have one, of their own name.
    static var drawn: [DrawnFault] { get }
}

extension Fault {
    static var drawn: [DrawnFault] { [] }

    /// The fault as a scenario names it.
    func text(in scenario: Scenario) -> String {
        let words = words(in: scenario)
        return words.isEmpty ? Self.name : Self.name + " " + words
    }

    func equals(_ other: any Fault) -> Bool { other as? Self == self }
}

/// A fault of one node, without further operands.
protocol NodeFault: Fault {
    var node: Int { get }
    init(node: Int)
}

extension NodeFault {
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
    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) { self.init() }

    func words(in scenario: Scenario) -> String { "" }
}

/// The draw of a seed for one name of the line `faults`.
struct DrawnFault: Sendable {
    /// A fault of a node, what ends it, and what comes after that.
    struct Course {
        var fault: any Fault
        var ending: (any Fault)?
        /// Follows once the node has stayed in the state after the ending for the length of another fault.
        var sequel: (any Fault)?
        /// How much longer than drawn it lasts.
        var extra: Microseconds = 0

        init(_ fault: any Fault, until ending: (any Fault)? = nil) {
            self.fault = fault
            self.ending = ending
        }
    }

    enum Draw: Sendable {
        case node(@Sendable (_ node: Int, inout FaultPlan) -> Course)
        /// A fault of the network between two nodes, which the next heal ends; nil if the cluster is too small for it.
        case pair(@Sendable (_ first: Int, _ second: Int, inout FaultPlan) -> (any Fault)?)
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
        .node(fault.name, needsPeers: needsPeers) { node, _ in
            .init(fault.init(node: node), until: ending?.init(node: node))
        }
    }

    static func of(_ fault: (some DirectionFault).Type) -> DrawnFault {
        .pair(fault.name) { from, to, _ in fault.init(from: from, to: to) }
    }

    static func node(
        _ name: String, needsPeers: Bool = false,
        _ draw: @escaping @Sendable (_ node: Int, inout FaultPlan) -> Course
    ) -> DrawnFault { DrawnFault(name: name, needsPeers: needsPeers, draw: .node(draw)) }

    static func pair(
        _ name: String,
        _ draw: @escaping @Sendable (_ first: Int, _ second: Int, inout FaultPlan) -> (any Fault)?
    ) -> DrawnFault { DrawnFault(name: name, draw: .pair(draw)) }
}

import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// An observer of a run, for checks that need more than the record of the run.
///
/// The run calls each hook at the moment that its name says. A watch changes nothing of the run and draws from generators of its
/// own, so that a run has the same events with and without watches. Hooks get the run as `inout` only because a call by value copies
/// it, which takes longer than most hooks.
protocol Watch: SendableMetatype {
    /// - Parameter seed: The seed of the run, for a generator of the watch.
    init(_ scenario: Scenario, seed: UInt64)

    /// A process began on the data of its disk, or a node installed a checkpoint.
    mutating func replacedData(of node: Int, in run: inout SimulatedRun)

    /// Some 50 ms have passed at a node that is up.
    mutating func ticked(_ node: Int, in run: inout SimulatedRun)

    /// A node executed the outputs of a step, and stored these batches.
    mutating func executedOutputs(
        of node: Int, storing batches: [LogEntry], in run: inout SimulatedRun)

    /// A node sends a frame to a client of the native protocol.
    mutating func replied(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun)

    /// The script reads the tree of a node, which has this value at the expected location; nil if the node is down.
    mutating func read(_ expectation: Expectation, found: Value?, at time: Microseconds)

    /// A node answers the operator. Returns true for a request of the watch itself, which it may send in a copy of a run.
    mutating func received(_ answer: NodeMessage) -> Bool

    /// The run is over.
    mutating func ended(_ run: SimulatedRun)
}

extension Watch {
    mutating func replacedData(of node: Int, in run: inout SimulatedRun) {}
    mutating func ticked(_ node: Int, in run: inout SimulatedRun) {}
    mutating func executedOutputs(
        of node: Int, storing batches: [LogEntry], in run: inout SimulatedRun
    ) {}
    mutating func replied(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun) {}
    mutating func read(_ expectation: Expectation, found: Value?, at time: Microseconds) {}
    mutating func received(_ answer: NodeMessage) -> Bool { false }
    mutating func ended(_ run: SimulatedRun) {}
}

extension Scenario {
    /// The watches of the claimed checks; checks that name the same type share one.
    func watches(seed: UInt64) -> [any Watch] {
        var types: Set<ObjectIdentifier> = []
        return checks.compactMap { check in
            guard let type = check.watch, types.insert(ObjectIdentifier(type)).inserted else {
                return nil
            }
            return type.init(self, seed: seed)
        }
    }
}

extension [any Watch] {
    /// The watch of a type; nil if there is none.
    func first<Kind: Watch>(of type: Kind.Type) -> Kind? {
        lazy.compactMap { $0 as? Kind }.first
    }

    /// Adds a watch, in place of one of its type.
    mutating func set<Kind: Watch>(_ watch: Kind) {
        removeAll { $0 is Kind }
        append(watch)
    }
}

extension SimulatedRun {
    /// Calls a hook of each watch.
    ///
    /// Meanwhile the run has no watches: each sees the run that it would see alone.
    mutating func observe(
        _ hook: (_ watch: inout any Watch, _ run: inout SimulatedRun) -> Void
    ) {
        if watches.isEmpty { return }
        var observers: [any Watch] = []
        swap(&observers, &watches)
        for index in observers.indices { hook(&observers[index], &self) }
        swap(&observers, &watches)
    }
}

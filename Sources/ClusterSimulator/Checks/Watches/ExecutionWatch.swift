import ReplicaCore
import Store
import SyncProtocol

/// Executes the operations of each node again after each turn, and applies late operations to copies of its state.
struct ExecutionWatch: Watch {
    /// By node.
    var oracles: [EveryTurnOracle]
    private(set) var lateWrites: [LateWrites]

    /// Watches runs that are small, in which it can keep all operations.
    init(_ scenario: Scenario, seed: UInt64) {
        self.init(scenario, seed: seed, isOn: scenario.isSmall)
    }

    init(_ scenario: Scenario, seed: UInt64, isOn: Bool) {
        let nodes = 0..<scenario.cluster.replicas
        oracles = nodes.map { EveryTurnOracle(isOn: isOn, node: $0) }
        lateWrites = nodes.map {
            LateWrites(
                node: $0.nodeName, random: SplitMix64(seed: seed, part: 3_000 + UInt64($0)))
        }
    }

    /// A watch that is over, with the oracles of a run.
    init(_ oracles: [EveryTurnOracle]) { (self.oracles, lateWrites) = (oracles, []) }

    mutating func replacedData(of node: Int, in run: inout SimulatedRun) {
        guard oracles[node].isOn, let replica = run.nodes[node].replica else { return }
        oracles[node].restart(
            on: run.record.archive.batches(in: replica.vector), showing: replica.value)
        tryLateWrites(at: node, onceIn: 1, in: &run)
    }

    mutating func executedOutputs(
        of node: Int, storing batches: [LogEntry], in run: inout SimulatedRun
    ) {
        guard oracles[node].isOn, !batches.isEmpty, let replica = run.nodes[node].replica else {
            return
        }
        oracles[node].record(batches, showing: replica.value, at: run.now)
        tryLateWrites(at: node, onceIn: LateWrites.turnInterval, in: &run)
    }

    mutating func ticked(_ node: Int, in run: inout SimulatedRun) {
        tryLateWritesAfterRestart(of: node, in: &run)
    }

    /// Applies late operations to a copy of a node's state, at random moments.
    private mutating func tryLateWrites(
        at node: Int, onceIn interval: Int, in run: inout SimulatedRun
    ) {
        guard let replica = run.nodes[node].replica, lateWrites[node].isDue(onceIn: interval)
        else { return }
        lateWrites[node].arrive(at: replica.checkpoint, beside: oracles[node], at: run.now)
    }

    /// Applies late operations to the state in which the next process of a node would begin, at random moments.
    private mutating func tryLateWritesAfterRestart(of node: Int, in run: inout SimulatedRun) {
        guard oracles[node].isOn, run.nodes[node].isIdle,
            let vector = run.nodes[node].standing?.vector,
            lateWrites[node].isDue(onceIn: LateWrites.tickInterval),
            let next = try? run.nodes[node].restarted()?.replica, next.vector == vector
        else { return }
        lateWrites[node].arrive(
            times: LateWrites.restartArrivals, at: next.checkpoint, beside: oracles[node],
            at: run.now)
    }
}

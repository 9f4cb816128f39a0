import DataTree
import ReplicaCore
import Store
import SyncProtocol

// What a scenario says of its own data: what is there at first, and what it claims of what nodes show.

extension SimulatedRun {
    /// Puts a batch on the disks of all first members.
    mutating func load(_ batch: LogEntry, named name: String) {
        names.add(batch.origin, text: name)
        for node in nodes.indices where nodes[node].isMember { nodes[node].disk.preload(batch) }
    }
}

extension VirtualDisk {
    /// Stores a batch before the first process begins.
    fileprivate mutating func preload(_ batch: LogEntry) {
        do throws(MemoryTables.Failure) {
            try commit([Turn(number: 0, batches: [batch], properties: [])])
            try store.synchronize()
            settle()
        } catch {
            preconditionFailure("an empty disk does not take a batch: \(error)")
        }
    }
}

extension SimulatedRun {
    /// Looks at what a node shows now.
    mutating func read(_ expectation: Expectation) {
        let found = nodes[expectation.node].replica.map { $0.value[expectation.path] }
        expectations.append(
            ExpectationOutcome(expectation: expectation, time: now, found: found))
    }
}

extension SimulatedRun {
    /// Judges what a node shows by the scenario's own invariants; one that does not serve shows nothing to anybody.
    mutating func judgeInvariants(at node: Int) {
        guard !scenario.invariants.isEmpty, nodes[node].isServing,
            let replica = nodes[node].replica
        else { return }
        invariants.judge(replica.value, holding: replica.vector, node: node, at: now)
    }
}

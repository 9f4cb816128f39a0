import DataTree
import ReplicaCore
import Store
import SyncProtocol

// The data of a scenario: the first contents of disks, and expected values.

extension SimulatedRun {
    /// Puts a batch on the disks of all first members.
    mutating func load(_ batch: LogEntry, named name: String) {
        record.names.add(batch.origin, text: name)
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
    /// Reads the tree of a node for an expectation.
    mutating func read(_ expectation: Expectation) {
        let found = nodes[expectation.node].replica.map { $0.value[expectation.path] }
        for index in watches.indices { watches[index].read(expectation, found: found, at: now) }
    }
}

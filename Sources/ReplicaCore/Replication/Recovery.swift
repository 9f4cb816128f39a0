import Convergence
import Store
import SyncProtocol

// How the tree is restored from disk.

extension Replication {
    /// Replaces all state by a checkpoint.
    mutating func restore(_ checkpoint: RestoredCheckpoint) {
        let head = checkpoint.head
        tree = ConvergentTree(value: checkpoint.value, registers: checkpoint.registers)
        vector = head.vector
        stableTime = head.stableTime
        clock.observe(head.time)
        deduplicationTable = head.stamps.limited(within: configuration.limits)
        restore(rules: head.rules)
        disconnectRecords = head.records
    }

    /// Applies a batch from disk; returns false if it is not the next one of its origin: mostly it is held
    /// already.
    mutating func replay(_ batch: Batch) -> Bool {
        guard batch.first == vector[batch.origin] + 1 else { return false }
        for operation in batch.operations {
            observe(operation, of: batch.origin)
            record(operation)
            if let record = RulesRecord(operation) {
                learn(record, of: batch.origin, through: batch.last)
            } else {
                _ = tree.apply(operation)
            }
        }
        vector[batch.origin] = batch.last
        return true
    }

    /// Completes the installation of a peer's checkpoint and of what the log had beyond it.
    mutating func finishInstallation() {
        reorderBuffer.removeAll { _ in true }
        peers.resetStability()
        counters.installed += 1
    }

    /// Continues as another writer, of a member whose earlier incarnations were evicted.
    mutating func beginIncarnation(after ended: [Eviction]) {
        for incarnation in ended { _ = peers.evictions.raise(incarnation, to: .out) }
        ownBatch = OwnBatch(of: identifiers.nextWriter(), within: configuration.limits)
        peers.change(own: writer)
        resetFloor()
        incarnations.begin(writer)
        dropClosed()
    }

    /// Completes the rejoin, as the other members wait for this one: from now on it makes operations, later
    /// than all that may have become stable without it.
    mutating func finishRejoin() {
        for incarnation in peers.evictions.own(at: .out) {
            _ = peers.evictions.raise(incarnation, to: .back)
        }
        closedTimestamp.raise(to: clock.last)
        counters.returns += 1
    }
}

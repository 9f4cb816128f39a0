import ReplicaCore

extension Counters {
    /// Adds what another process of the same node counted.
    mutating func add(_ other: Counters) {
        accepted += other.accepted
        received += other.received
        repaired += other.repaired
        repairedBytes += other.repairedBytes
        duplicates += other.duplicates
        overwritten += other.overwritten
        dropped += other.dropped
        installed += other.installed
        replayed += other.replayed
        quarantined += other.quarantined
        repeated += other.repeated
        refused += other.refused
        comparedTrees += other.comparedTrees
        differingTrees += other.differingTrees
        malformedFrames += other.malformedFrames
        unknownPeers += other.unknownPeers
    }
}

public import Marks

/// The outcome of one run.
public struct SimulationReport: Sendable {
    package let scenario: String
    package let seed: UInt64
    /// Invalid if any check is or the run has a failure, else unknown if any check is.
    public internal(set) var verdict: Verdict
    /// A hash over every event and every output: the same for the same scenario, seed and program.
    public let traceHash: UInt64
    /// How many events were executed.
    public let events: UInt64
    package let simulatedSeconds: Double
    /// Whether the cluster came to rest once all faults were over.
    let hasConverged: Bool
    /// A failure of the run itself, whatever its checks, such as an unreadable frame.
    public let failure: String?
    /// In the order in which the scenario names them.
    public internal(set) var checks: [CheckResult]
    package let statistics: SimulationStatistics
    /// The rare paths that the run has reached, in a build that counts them.
    public internal(set) var marks = MarkCounts()

    /// The hash as sixteen hexadecimal digits.
    public var traceHashText: String { traceHash.hexadecimal }
}

/// What happened in a run, in numbers.
public struct SimulationStatistics: Equatable, Sendable {
    package internal(set) var events: UInt64 = 0
    /// The requests of clients, reads included, by their outcomes.
    public internal(set) var operations = 0
    package internal(set) var acknowledged = 0
    package internal(set) var unknown = 0
    /// Acknowledged writes that may be missing, because the durability mode allows their loss.
    public internal(set) var permitted = 0
    package internal(set) var failed = 0
    /// Changes that listeners received.
    public internal(set) var changes = 0
    /// How often a client went to another node.
    public internal(set) var moves = 0

    package internal(set) var framesSent: UInt64 = 0
    package internal(set) var framesDropped: UInt64 = 0
    package internal(set) var framesDuplicated: UInt64 = 0
    package internal(set) var framesReordered: UInt64 = 0
    package internal(set) var framesReplayed: UInt64 = 0
    package internal(set) var framesDamaged: UInt64 = 0
    /// Operations that replicas got by requesting them, and operations that they got again.
    public internal(set) var repaired: UInt64 = 0
    package internal(set) var duplicates: UInt64 = 0

    package internal(set) var crashes = 0
    /// Checkpoints that were completed.
    public internal(set) var checkpoints = 0
    /// Checkpoints of peers that nodes installed.
    public internal(set) var installations = 0
    /// How often an evicted node rejoined.
    public internal(set) var returns = 0
    /// Turns that crashes undid.
    public internal(set) var lostTurns = 0
    package internal(set) var stops = 0
    package internal(set) var pauses = 0
    package internal(set) var partitions = 0
    /// Jumps of clocks, and clocks that froze or strobed.
    public internal(set) var clockSteps = 0
    /// Directions that were backpressured, flapping, broken or bad.
    public internal(set) var badLinks = 0
    package internal(set) var diskTroubles = 0
    /// Processes that became slow, or ran out of file handles.
    public internal(set) var shortages = 0
    /// Processes that ended because a sync had failed.
    public internal(set) var failedSyncs = 0
    /// Databases that were found damaged at a start, and moved aside.
    public internal(set) var damagedDisks = 0
    /// Processes that were started under the name of another.
    public internal(set) var duplicateNodes = 0
    /// Where priorities decide: the processes that had any, and the steps before all faults ended.
    package internal(set) var processes = 0
    package internal(set) var steps = 0
    /// How often the list of nodes changed, or one was lost for good.
    public internal(set) var memberChanges = 0

    mutating func complete(with run: SimulatedRun) {
        operations = run.history.operations.count
        for operation in run.history.operations {
            switch operation.outcome {
            case .acknowledged: acknowledged += 1
            case .failed: failed += 1
            case .unknown, .open: unknown += 1
            }
        }
        processes = run.queue.priorities?.processCount ?? 0
        steps = run.queue.priorities?.stepCount ?? 0
        framesSent = run.network.counts.sent
        framesDropped = run.network.counts.dropped
        framesDuplicated = run.network.counts.duplicated
        framesReordered = run.network.counts.reordered
        framesReplayed = run.network.counts.replayed
        framesDamaged = run.network.counts.damaged
        for node in run.nodes {
            var counters = node.pastCounters
            if let replica = node.replica { counters.add(replica.counters) }
            repaired += counters.repaired
            duplicates += counters.duplicates
        }
    }
}

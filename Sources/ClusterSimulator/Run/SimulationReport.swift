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
    /// Whether the cluster was at rest after all faults were over.
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

extension SimulationReport {
    /// The kind of the failure; nil if nothing failed.
    ///
    /// The final state of a cluster that was never at rest proves nothing else.
    public var failureKind: FailureKind? {
        let failed = checks.filter { $0.verdict == .invalid }.map(\.check)
        return FailureKind(failed, failure: failure, hasConverged: hasConverged)
            ?? (verdict == .invalid ? .safety : nil)
    }
}

extension SimulationStatistics {
    /// Adds what only the end of a run shows.
    mutating func complete(with run: SimulatedRun) {
        operations = run.record.history.operations.count
        for operation in run.record.history.operations {
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

import QueryEngine
import ReplicaCore

extension ClusterSettings {
    /// The nodes that are members at first, counted from 0.
    var firstMembers: [Int] { Array((0..<replicas).dropLast(newcomers)) }

    /// The configuration of a node: limits are so low that short runs meet them.
    func configuration(of index: Int) -> ReplicaConfiguration {
        var configuration = ReplicaConfiguration(
            cluster: "simulated", member: index.nodeName, peers: firstMembers.map(\.nodeName),
            durability: durability, seed: 0)
        configuration.checkpointBytes = checkpointBytes
        // More than until a request is repeated, or each repetition would find the checkpoint too old.
        configuration.freshCheckpointMilliseconds = 1_500
        configuration.transferPatienceMilliseconds = 1_000
        configuration.limits = .ofRuns
        configuration.limits.turnUnits = turnUnits
        configuration.limits.firstUnits = turnUnits / 40
        configuration.indexes = .ofRuns
        configuration.foldingLimit = 2
        configuration.catchUpBytes = catchUpBytes
        configuration.keptTreeMilliseconds = 400
        configuration.logLimit = UInt64(logLimit)
        configuration.leaseMilliseconds = lease / 1_000
        configuration.retryWindowMilliseconds = retryWindow / 1_000
        configuration.comparisonMilliseconds = compare / 1_000
        configuration.presenceMilliseconds = presence / 1_000
        for index in 0..<replicas {
            configuration.endpoints[index.nodeName] = "sim://\(index.nodeName)"
        }
        if index < newer {
            let oldest = configuration.versions.lowerBound
            configuration.versions = oldest...oldest + 1
        }
        return configuration
    }
}

extension IndexRules {
    fileprivate static let ofRuns: IndexRules = {
        do {
            return try IndexRules([
                "dense/$list": ["n"], "dense/x": [".value"],
                "\(ApplicationProgram.board)": ["points"],
            ])
        } catch {
            preconditionFailure("these rules are valid: \(error)")
        }
    }()
}

extension ReplicaLimits {
    fileprivate static var ofRuns: ReplicaLimits {
        var limits = ReplicaLimits()
        limits.stampsOfClient = 8
        limits.stamps = 120
        limits.batchBytes = 300
        limits.waitingBatches = 12
        limits.waitingBatchBytes = 4_000
        limits.waitingOrigins = 2
        limits.missingDependencies = 2
        limits.repairRequests = 1
        limits.forwardedTransactions = 8
        limits.forwardedBytes = 10_000
        limits.waitingRequests = 8
        limits.waitingRequestBytes = 10_000
        limits.proposedTransactions = 8
        limits.stabilityWaiters = 2
        limits.concernWaiters = 6
        limits.unindexedChildren = 2
        limits.idleIndexMilliseconds = 700
        limits.postponedAnswers = 6
        return limits
    }
}

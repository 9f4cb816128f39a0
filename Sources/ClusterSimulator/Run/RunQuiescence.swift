import ReplicaCore
import SyncProtocol

/// The end of a run: faults are over, clients stop, and the cluster has to become equal.
struct Quiescence {
    /// How often quiescence is tested: at irregular intervals, or each test could coincide with a client's
    /// ping.
    static let interval = TimeRange(.milliseconds(80), .milliseconds(120))
    /// How long it has to stay equal until the run ends.
    static let quiet: Microseconds = .seconds(1)
    /// How long equal replicas may take to forget what is stable.
    static let forgetting: Microseconds = .seconds(15)
    /// A client that repeats a request for ever never reaches quiescence.
    static let limit: Microseconds = .seconds(180)

    var hasBegun = false
    var isOver = false
    /// When the replicas were equal, and all nodes and clients idle.
    var equalSince: Microseconds?
    /// When they became equal for good.
    var converged: Microseconds?
    var lastProgress: Microseconds = 0
    var lastTotal: UInt64 = 0
    /// A failure of the run itself, whatever its checks.
    private(set) var failure: String?

    /// The first failure counts.
    mutating func fail(_ problem: String) { failure = failure ?? problem }
}

extension SimulatedRun {
    mutating func beginQuiescence() {
        quiescence.hasBegun = true
        quiescence.lastProgress = now
        network.quiescence(at: now)
        noteUnknownPeers()
        Heal().apply(to: &self)
        for node in nodes.indices {
            nodes[node].clock.set(.running, at: now)
            nodes[node].disk.trouble = nil
            nodes[node].interruption = nil
            nodes[node].slowness = nil
            freeHandles(of: node)
        }
        stopClients()
        schedule(.quiescenceChecked, after: 0)
    }

    mutating func checkQuiescence() {
        for node in nodes.indices {
            resume(node)
            start(node)
        }
        noteProgress()
        if isEqual {
            quiescence.equalSince = quiescence.equalSince ?? now
        } else {
            quiescence.equalSince = nil
        }
        if let since = quiescence.equalSince, now >= since + Quiescence.quiet,
            hasForgotten || now >= since + Quiescence.forgetting
        {
            quiescence.converged = since
            quiescence.isOver = true
        } else if now
            >= min(quiescence.lastProgress + scenario.quiescence, scenario.until + Quiescence.limit)
        {
            quiescence.isOver = true
        } else {
            schedule(.quiescenceChecked, after: random.time(in: Quiescence.interval))
        }
    }

    /// Whether nodes have freed what they need not keep, where the scenario claims that they do.
    private var hasForgotten: Bool {
        guard scenario.checks.contains(.memoryIsFreed) else { return true }
        return nodes.allSatisfy { node in
            guard node.belongs, let replica = node.replica else { return true }
            return RememberedState(of: replica).isFreed
        }
    }

    /// Extends the time while replicas still receive operations.
    private mutating func noteProgress() {
        let total = nodes.reduce(UInt64(0)) { $0 + ($1.replica?.vector.total ?? 0) }
        if total != quiescence.lastTotal { quiescence.lastProgress = now }
        quiescence.lastTotal = total
    }

    private var isEqual: Bool {
        let members = nodes.filter(\.belongs)
        guard let vector = members.first?.replica?.vector else { return false }
        return members.allSatisfy {
            $0.isIdle && $0.replica?.vector == vector && $0.replica?.isWhole == true
        }
            && protocolClients.allSatisfy { $0.pending == nil }
            && sdkClients.allSatisfy { client in
                client.isAtRest
                    && (client.requests != nil || !client.core.isAwaiting
                        || isAtRest(client.connection))
            }
            && firebaseClients.allSatisfy { $0.isAtRest && isAtRest($0.connection) }
            && duplicateNodes.allSatisfy { $0.ended != nil }
    }

    /// Whether a connection lives, and no frame to the client is delayed unusually. A client that has not
    /// yet noticed the end of its connection will connect again.
    private func isAtRest(_ connection: Int?) -> Bool {
        guard let connection else { return false }
        return !connections[connection].isBroken
            && connections[connection].lastAtClient <= now + scenario.network.link.delay.longest
    }
}

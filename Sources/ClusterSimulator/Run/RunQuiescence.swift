import ReplicaCore
import SyncProtocol

/// The end of a run: faults are over, clients stop, and the cluster has to become equal.
struct Quiescence {
    /// How often the cluster is looked at: not regularly, or a look could meet the ping of a client
    /// each time.
    static let interval = TimeRange(.milliseconds(80), .milliseconds(120))
    /// How long it has to stay equal until the run ends.
    static let quiet: Microseconds = .seconds(1)
    /// Who goes on and on, as a client that asks again for ever, does not come to rest.
    static let limit: Microseconds = .seconds(180)

    var hasBegun = false
    var isOver = false
    /// When the replicas were equal, and everybody idle.
    var equalSince: Microseconds?
    /// When they became equal for good.
    var converged: Microseconds?
    var lastProgress: Microseconds = 0
    var lastTotal: UInt64 = 0
    /// Something that no run may show, whatever is checked.
    var failure: String?
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
        if let since = quiescence.equalSince, now >= since + Quiescence.quiet {
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

    /// As long as replicas learn of operations, they are given time.
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
                client.isAtRest && (client.requests != nil || isAtRest(client.connection))
            }
            && duplicateNodes.allSatisfy { $0.ended != nil }
    }

    /// Whether a connection lives, and nothing is on its way to the client for longer than usual. One
    /// who does not know yet that its connection is gone will come back.
    private func isAtRest(_ connection: Int?) -> Bool {
        guard let connection else { return false }
        return !connections[connection].isBroken
            && connections[connection].lastAtClient <= now + scenario.network.link.delay.longest
    }
}

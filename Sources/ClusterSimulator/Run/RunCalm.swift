import ReplicaCore
import SyncProtocol

/// The end of a run: faults are over, clients stop, and the cluster has to become equal.
struct Calm {
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
    var flaw: String?
}

extension SimulatedRun {
    mutating func beginCalm() {
        calm.hasBegun = true
        calm.lastProgress = now
        network.calm(at: now)
        noteStrangers()
        Heal().apply(to: &self)
        for node in nodes.indices {
            nodes[node].clock.set(.running, at: now)
            nodes[node].disk.trouble = nil
            nodes[node].slowness = nil
            freeHandles(of: node)
        }
        stopClients()
        schedule(.calmChecked, after: 0)
    }

    mutating func checkCalm() {
        for node in nodes.indices {
            resume(node)
            start(node)
        }
        noteProgress()
        if isEqual {
            calm.equalSince = calm.equalSince ?? now
        } else {
            calm.equalSince = nil
        }
        if let since = calm.equalSince, now >= since + Calm.quiet {
            calm.converged = since
            calm.isOver = true
        } else if now >= min(calm.lastProgress + scenario.settle, scenario.until + Calm.limit) {
            calm.isOver = true
        } else {
            schedule(.calmChecked, after: random.time(in: Calm.interval))
        }
    }

    /// As long as replicas learn of operations, they are given time.
    private mutating func noteProgress() {
        let total = nodes.reduce(UInt64(0)) { $0 + ($1.replica?.vector.total ?? 0) }
        if total != calm.lastTotal { calm.lastProgress = now }
        calm.lastTotal = total
    }

    private var isEqual: Bool {
        let members = nodes.filter(\.belongs)
        guard let vector = members.first?.replica?.vector else { return false }
        return members.allSatisfy {
            $0.isIdle && $0.replica?.vector == vector && $0.replica?.isWhole == true
        }
            && protocolClients.allSatisfy { $0.pending == nil }
            && sdkClients.allSatisfy { client in
                client.isAtRest && (!client.needsConnection || isAtRest(client.connection))
            }
            && twins.allSatisfy { $0.ended != nil }
    }

    /// Whether a connection lives, and nothing is on its way to the client for longer than usual. One
    /// who does not know yet that its connection is gone will come back.
    private func isAtRest(_ connection: Int?) -> Bool {
        guard let connection else { return false }
        return !connections[connection].isBroken
            && connections[connection].lastAtClient <= now + scenario.network.link.delay.longest
    }
}

import ReplicaCore
import SyncProtocol

// The end of a run: nodes and clients are at rest, or a time limit is over.

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
        evictAbandoned()
        noteProgress()
        quiescence.unrest = unrest
        if quiescence.unrest == nil {
            quiescence.equalSince = quiescence.equalSince ?? now
        } else {
            quiescence.equalSince = nil
        }
        if let since = quiescence.equalSince, now >= since + Quiescence.quiet {
            quiescence.converged = quiescence.converged ?? since
        }
        if quiescence.converged != nil { noteFreed() }
        quiescence.isOver = isOver
        if quiescence.isOver { return }
        schedule(.quiescenceChecked, after: random.time(in: Quiescence.interval))
    }

    /// The operator evicts a node that never returns, if one without its latest disk waits for it, as `/health` says. If
    /// all wait for it, none can vote, and the operator accepts what is lost with it.
    private mutating func evictAbandoned() {
        for gone in nodes.indices where nodes[gone].isAbandoned {
            let isAwaited = nodes.contains {
                $0.replica?.awaitedMembers.contains(nodes[gone].name) == true
            }
            guard isAwaited else { continue }
            if now < quiescence.lastProgress + Quiescence.operatorPatience {
                let asked = nodes.indices.first { nodes[$0].isServing && $0 != gone }
                if let asked { evict(gone, by: asked) }
            } else {
                for node in nodes.indices where node != gone { acceptLoss(of: node) }
            }
        }
    }

    /// `hearth accept-loss`, between two processes of a node.
    private mutating func acceptLoss(of node: Int) {
        kill(node)
        nodes[node].disk.acceptLoss()
        record.losses.append(Loss(node: node, since: now, until: now, kind: .hidden))
        noteOldDisk(of: node)
        start(node)
        quiescence.lastProgress = now
    }

    /// Whether the run ends: all are equal, and have had the time to forget what they need not keep, or nothing comes of waiting.
    private var isOver: Bool {
        if let converged = quiescence.converged {
            return hasForgotten || now >= converged + Quiescence.forgetting
        }
        let end = quiescence.lastProgress + scenario.quiescence
        return now >= min(end, scenario.until + Quiescence.limit)
    }

    /// Records the nodes that have freed what they need not keep, and say what is true, where the scenario claims that they do.
    private mutating func noteFreed() {
        let mustTell = scenario.checks.contains(.statusTellsTheTruth)
        let mustFree =
            scenario.checks.contains(.memoryIsFreed) && !nodes.contains(where: \.isAbandoned)
        for node in nodes where node.belongs && !quiescence.freed.contains(node.index) {
            if mustTell, statusProblem(of: node) != nil { continue }
            if mustFree, rememberedState(of: node)?.isFreed == false { continue }
            quiescence.freed.insert(node.index)
        }
    }

    /// Whether all have.
    private var hasForgotten: Bool {
        nodes.allSatisfy { !$0.belongs || quiescence.freed.contains($0.index) }
            && !(scenario.checks.contains(.statusTellsTheTruth) && forgottenRefusal != nil)
    }

    /// The memory of the nodes that have not freed all yet.
    var rememberedStates: [(node: String, memory: RememberedState)] {
        nodes.filter { $0.belongs && !quiescence.freed.contains($0.index) }.compactMap { node in
            rememberedState(of: node).map { (node.name, $0) }
        }
    }

    private func rememberedState(of node: VirtualNode) -> RememberedState? {
        let hasClients = connections.contains {
            $0.node == node.index && $0.incarnation == node.incarnation
                && (!$0.isBroken || $0.isGone)
        }
        // Their sessions stay for a while.
        let hasPolls = node.gatewayUsage.map { $0.polledSessions > 0 } ?? false
        return RememberedState(
            of: node, hasClients: hasClients || hasPolls,
            hasRecords: connections.contains { !$0.isBroken || $0.isGone })
    }

    /// Extends the time while replicas still receive operations.
    private mutating func noteProgress() {
        let total = nodes.reduce(UInt64(0)) { $0 + ($1.replica?.vector.total ?? 0) }
        if total != quiescence.lastTotal { quiescence.lastProgress = now }
        quiescence.lastTotal = total
    }

    /// The first node or client that is not at rest, and why; nil if all are equal and idle.
    private var unrest: String? {
        unrestOfNodes ?? unrestOfClients
            ?? record.duplicateNodes.first { $0.ended == nil }.map {
                "a second process under the name of \($0.node.nodeName) goes on"
            }
    }

    private var unrestOfNodes: String? {
        let members = nodes.filter(\.belongs)
        guard let vector = members.first?.replica?.vector else { return "no member is up" }
        for node in members {
            guard let replica = node.replica else { return "\(node.name) is not up" }
            if replica.vector != vector {
                return "\(members[0].name) holds \(vector.line), and \(node.name) "
                    + replica.vector.line
            }
            if !replica.isFullMember {
                let evictions = replica.evictions.map { "\($0.member) \($0.stage)" }
                return
                    "\(node.name) was evicted and has not rejoined, or has orphaned operations; it knows of "
                    + "the evictions \(evictions)"
            }
            if !node.isServing { return "\(node.name) serves nobody" }
            if !node.isIdle { return "\(node.name) has input or batches that wait" }
        }
        return nil
    }

    private var unrestOfClients: String? {
        clients.lazy.compactMap { client in
            client.unrest(in: self).map { "\(client.index.clientName) \($0)" }
        }.first
    }

    /// Whether a connection lives, and no frame to the client is delayed unusually. A client that has not
    /// yet noticed the end of its connection will connect again.
    func isAtRest(_ connection: Int?) -> Bool {
        guard let connection else { return false }
        return !connections[connection].isBroken
            && connections[connection].lastAtClient <= now + scenario.network.link.delay.longest
    }
}

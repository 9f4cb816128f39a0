// Which nodes make up the cluster.

extension SimulatedRun {
    /// A node never starts again, and operations that only its disk held are lost.
    mutating func abandon(_ node: Int) {
        kill(node)
        nodes[node].isAbandoned = true
        record.losses.append(
            Loss(node: node, since: nodes[node].disk.wipe(), until: now, kind: .final))
        record.statistics.memberChanges += 1
    }

    /// All nodes are stopped, and then those that ran, or are new, start with another list of members.
    mutating func change(members: [Int]) {
        let starting = nodes.indices.filter { nodes[$0].state != .down || !nodes[$0].isMember }
        for node in nodes.indices { kill(node) }
        for node in nodes.indices {
            let wasMember = nodes[node].isMember
            nodes[node].list(members: members)
            // It rejoins as an evicted node does.
            if nodes[node].isMember, !wasMember { noteAbsence(of: node) }
        }
        for node in starting { start(node) }
        record.statistics.memberChanges += 1
    }

    private mutating func noteAbsence(of node: Int) {
        record.refusals.append(Refusal(node: node, reason: Refusal.evicted, since: now))
    }

    /// Operations that only non-members hold in the end are lost to the members.
    mutating func noteUnknownPeers() {
        for node in nodes.indices where !nodes[node].isMember {
            record.losses.append(Loss(node: node, since: 0, until: now, kind: .final))
        }
    }
}

// Which nodes make up the cluster.

extension SimulatedRun {
    /// Nobody ever starts a node again, and what only its disk had is gone.
    mutating func abandon(_ node: Int) {
        kill(node)
        nodes[node].isAbandoned = true
        losses.append(Loss(node: node, since: nodes[node].disk.wipe(), until: now))
        statistics.memberChanges += 1
    }

    /// All nodes are stopped, and then those that ran, or are new, start with another list of members.
    mutating func change(members: [Int]) {
        let starting = nodes.indices.filter { nodes[$0].state != .down || !nodes[$0].isMember }
        for node in nodes.indices { kill(node) }
        for node in nodes.indices {
            let wasMember = nodes[node].isMember
            nodes[node].list(members: members)
            // It comes back as one that was voted out does.
            if nodes[node].isMember, !wasMember { noteAbsence(of: node) }
        }
        for node in starting { start(node) }
        statistics.memberChanges += 1
    }

    private mutating func noteAbsence(of node: Int) {
        refusals.append(Refusal(node: node, reason: Refusal.evicted, since: now))
    }

    /// What those alone have who are no members in the end, nobody can find.
    mutating func noteUnknownPeers() {
        for node in nodes.indices where !nodes[node].isMember {
            losses.append(Loss(node: node, since: 0, until: now))
        }
    }
}

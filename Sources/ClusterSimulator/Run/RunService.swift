import SyncProtocol

// How soon nodes serve, and clients are served.

extension SimulatedRun {
    /// A process begins.
    mutating func beginService(of node: Int) {
        disturbStarts()
        let others = nodes.filter { $0.belongs && $0.index != node }
        guard others.allSatisfy({ $0.isServing && $0.state == .running }) else { return }
        record.starts.append(
            ServiceStart(node: node, incarnation: nodes[node].incarnation, began: now))
    }

    /// A process ends or begins: others that have just begun may have to wait for it.
    mutating func disturbStarts() {
        for index in record.starts.indices where record.starts[index].served == nil {
            record.starts[index].isDisturbed = true
        }
    }

    mutating func noteService(by node: Int) {
        // An evicted node only reports to its clients why it refuses them.
        if let standing = nodes[node].standing, !standing.isOut {
            record.recording.record(serviceBy: node, holding: standing.vector, at: now)
        }
        for index in record.starts.indices
        where record.starts[index].node == node
            && record.starts[index].incarnation == nodes[node].incarnation
        {
            record.starts[index].served = now
        }
    }

    /// Whether all nodes serve; nil if only some do.
    var areServing: Bool? {
        let members = nodes.indices.filter { nodes[$0].belongs }
        let serving = members.count {
            nodes[$0].isServing && nodes[$0].state == .running && nodes[$0].hasHandles
        }
        return serving == members.count ? true : serving == 0 ? false : nil
    }

    // MARK: Clients that go without a word

    /// A client is gone, with its machine unless that goes on to take frames.
    mutating func lose(client: Int, takingFrames: Bool) {
        withClient(client) { $0.vanish(takingFrames: takingFrames, in: &$1) }
    }

    /// A frame to a machine that is gone makes the node notice, after a while.
    mutating func replyToGone(on index: Int) {
        guard connections[index].gone?.takesFrames == false, !connections[index].isBroken
        else { return }
        connections[index].breaks(at: now)
        schedule(.nodeLost(connection: index), after: SimulatedRun.heartbeatTimeout)
    }
}

import ReplicaCore
import Store

// Processes that end at a step of their disk, and what a run itself finds wrong with stores.

extension SimulatedRun {
    /// Ends a process at the step of its disk that a fault names: before the replica learns of the step, or while it
    /// acts upon it.
    mutating func interruptAtStep(_ node: Int) {
        let step = nodes[node].disk.step
        guard nodes[node].interruption?.ends(at: step) == true else { return }
        nodes[node].interruption = nil
        let delays: [Microseconds] = [0, .milliseconds(1), .milliseconds(30)]
        let longest = delays[random.index(below: delays.count)]
        schedule(
            .interrupted(node: node, incarnation: nodes[node].incarnation),
            after: random.time(in: TimeRange(0, longest)))
    }

    mutating func endInterrupted(_ node: Int, incarnation: Int) {
        guard nodes[node].incarnation == incarnation, !quiescence.hasBegun else { return }
        if random.index(below: 2) == 0 { kill(node) } else { crash(node) }
        start(node)
    }

    /// A store that contradicts the model of it is a bug.
    mutating func noteContradiction(of node: Int) {
        guard let contradiction = nodes[node].disk.contradiction else { return }
        quiescence.fail("\(nodes[node].name): \(contradiction)")
    }

    /// Rows of a peer's checkpoint are damaged or missing; if no disk ever was damaged, that is a bug.
    mutating func noteSpoiltTransfer(to node: Int) {
        if nodes.contains(where: \.disk.wasDamaged) { return }
        quiescence.fail("\(nodes[node].name) was given a checkpoint that is not whole")
    }

    /// A node that writes all of its checkpoint anew has found it damaged; if it never was, that is a bug.
    mutating func noteRewriting(_ request: StoreRequest, by node: Int) {
        guard case .writeCheckpoint(let checkpoint) = request, checkpoint.replacesAll,
            !nodes[node].disk.wasDamaged
        else { return }
        quiescence.fail(
            "\(nodes[node].name) would have given away a checkpoint that is not whole")
    }
}

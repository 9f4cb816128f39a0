// When operations arrive late at copies of nodes' states.

extension SimulatedRun {
    /// Has operations arrive late at the state of a node, now and then.
    mutating func tryLateWrites(at node: Int, onceIn interval: Int) {
        guard everyTurn[node].isOn, let replica = nodes[node].replica,
            lateWrites[node].isDue(onceIn: interval)
        else { return }
        lateWrites[node].arrive(at: replica.checkpoint, beside: everyTurn[node], at: now)
    }

    /// Has operations arrive late at the state in which the next process of a node would begin, now and then.
    mutating func tryLateWritesAfterRestart(of node: Int) {
        guard everyTurn[node].isOn, nodes[node].isIdle, let vector = nodes[node].standing?.vector,
            lateWrites[node].isDue(onceIn: LateWrites.tickInterval),
            let next = try? nodes[node].restarted()?.replica, next.vector == vector
        else { return }
        lateWrites[node].arrive(
            times: LateWrites.restartArrivals, at: next.checkpoint, beside: everyTurn[node],
            at: now)
    }
}

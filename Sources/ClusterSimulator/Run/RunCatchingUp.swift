import SyncProtocol

// Which nodes can ask each other, and what they hold.

extension SimulatedRun {
    mutating func watchCatchingUp(of node: Int) {
        guard catchingUp.isOn, let standing = nodes[node].standing else { return }
        let dot = Dot(
            origin: standing.writer, sequence: nodes[node].disk.durable[standing.writer])
        catchingUp.note(dot, of: node, at: now)
        for other in nodes.indices where other != node {
            let works = canExchange(node) && canExchange(other) && canAsk(node, other)
            let epochs = [
                network.epoch(from: node, to: other), network.epoch(from: other, to: node),
            ]
            catchingUp.note(node, other, works: works, epochs: epochs, at: now)
            catchingUp.judge(node, other, holding: standing.vector, at: now)
        }
    }

    /// Whether a node runs, serves, and has a disk that takes what it stores.
    private func canExchange(_ node: Int) -> Bool {
        nodes[node].state == .running && nodes[node].isServing && !nodes[node].isOut
            && nodes[node].disk.trouble == nil && nodes[node].slowness == nil
            && nodes[node].hasHandles
    }

    private func canAsk(_ node: Int, _ other: Int) -> Bool {
        [(node, other), (other, node)].allSatisfy {
            network.isOpen($0, $1) && !network.isClogged(from: $0, to: $1)
        }
    }
}

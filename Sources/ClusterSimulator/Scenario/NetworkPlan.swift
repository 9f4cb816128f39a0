import ReplicaCore

// Which faults of the network happen.

extension FaultPlan {
    /// Nil for what the cluster is too small for.
    mutating func drawNetworkFault(_ kind: Fault.Kind) -> Fault? {
        let count = nodesBusy.count
        guard count > 1 else { return nil }
        let first = random.index(below: count)
        let second = (first + 1 + random.index(below: count - 1)) % count
        switch kind {
        case .partition: return drawPartition(first)
        case .isolate: return .isolate(first, among: count)
        case .ring: return count > 3 ? .ring : nil
        case .cut: return .cut(from: .node(first), to: .node(second))
        case .clog: return .clog(from: first, to: second)
        case .flap: return .flap(from: first, to: second)
        case .disconnect: return .disconnect(first, second)
        case .halfOpen: return .halfOpen(from: first, to: second)
        case .topicLoss:
            let topic = Topic.allCases[random.index(below: Topic.allCases.count)]
            return .lose(topic, from: first, to: second)
        default: return .degrade(from: first, to: second, drawQuality())
        }
    }

    /// Splits the nodes in two, neither of which is empty.
    private mutating func drawPartition(_ first: Int) -> Fault {
        var groups: [[Endpoint]] = [[.node(first)], []]
        for node in nodesBusy.indices where node != first {
            groups[random.index(below: 2)].append(.node(node))
        }
        return groups[1].isEmpty
            ? .isolate(first, among: nodesBusy.count) : .partition(groups)
    }

    private mutating func drawQuality() -> LinkQuality {
        var link = scenario.network.link
        for change in 0...random.index(below: 3) {
            let chance = Probability(millionths: 10_000 * (1 + random.number(below: 30)))
            switch (change + random.index(below: 8)) % 8 {
            case 0: link.delay = TimeRange(.milliseconds(50), .milliseconds(800))
            case 1: link.tail = chance
            case 2: link.loss = chance
            case 3: link.duplicate = chance
            case 4: link.reorder = chance
            case 5: link.replay = chance
            case 6: link.corrupt = chance
            default: link.truncate = chance
            }
        }
        return link
    }

    /// Clogs all links of some nodes one after the other, then opens them in another order.
    mutating func addSwizzle(from start: Microseconds, to end: Microseconds) {
        let nodes = nodesBusy.indices
        let first = random.index(below: nodes.count)
        let members = nodes.filter { $0 == first || random.index(below: 2) == 0 }
        var links = nodes.flatMap { from in
            nodes.filter { $0 != from && (members.contains(from) || members.contains($0)) }
                .map { (from: from, to: $0) }
        }
        let length = (end - start) / 2
        func time(_ place: Int, from beginning: Microseconds) -> Microseconds {
            let time = beginning + length * Microseconds(place) / Microseconds(links.count)
            return time - time % 1_000
        }
        random.shuffle(&links)
        for (place, link) in links.enumerated() {
            add(.clog(from: link.from, to: link.to), at: time(place, from: start))
        }
        random.shuffle(&links)
        for (place, link) in links.enumerated() {
            add(.unclog(from: link.from, to: link.to), at: time(place, from: start + length))
        }
    }
}

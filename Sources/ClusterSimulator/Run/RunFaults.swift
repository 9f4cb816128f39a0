import ReplicaCore

// Faults: those that the scenario names, and those drawn from the seed.

extension SimulatedRun {
    mutating func perform(_ action: Scenario.Scripted.Action) {
        switch action {
        case .fault(let fault): perform(fault)
        case .request(let client, let request):
            clients[client].scripted.append(request)
            schedule(.clientActs(client), after: 0)
        }
    }

    mutating func perform(_ fault: Fault) {
        switch fault {
        case .crash(let node): crash(node)
        case .restart(let node): start(node)
        case .stop(let node): stop(node)
        case .pause(let node): pause(node)
        case .resume(let node): resume(node)
        case .partition(let groups):
            network.partition(groups.map { $0.map(number) }, at: now)
            notePartition()
        case .cut(let from, let to):
            network.cut(from: number(from), to: number(to), at: now)
            notePartition()
        case .heal:
            network.heal(at: now)
            history.note(.healed, at: now)
        case .step(let node, let milliseconds):
            nodes[node].clock.step(milliseconds: milliseconds)
            statistics.clockSteps += 1
            history.note(.clockStepped(node: node, milliseconds: milliseconds), at: now)
        }
    }

    private func number(_ endpoint: Endpoint) -> Int {
        switch endpoint {
        case .node(let node): node
        case .client(let client): nodes.count + client
        }
    }

    private mutating func notePartition() {
        statistics.partitions += 1
        history.note(.partitioned, at: now)
    }

    private mutating func crash(_ node: Int) {
        guard nodes[node].state != .down else { return }
        let lost = nodes[node].crash()
        statistics.crashes += 1
        statistics.lostTurns += lost
        crashes.append((node, now))
        history.note(.crashed(node: node, lostTurns: lost), at: now)
        breakConnections(of: node)
    }

    private mutating func stop(_ node: Int) {
        guard nodes[node].isUp else { return }
        perform(nodes[node].stop(at: now), of: node)
    }

    /// A node that was stopping has written its last turn.
    mutating func endProcess(_ node: Int) {
        nodes[node].end()
        statistics.stops += 1
        history.note(.stopped(node: node), at: now)
        breakConnections(of: node)
    }

    private mutating func pause(_ node: Int) {
        guard nodes[node].state == .running else { return }
        nodes[node].pause()
        statistics.pauses += 1
        history.note(.paused(node: node), at: now)
    }

    mutating func resume(_ node: Int) {
        guard nodes[node].state == .paused else { return }
        nodes[node].resume()
        history.note(.resumed(node: node), at: now)
        scheduleTurn(node)
    }

    // MARK: At random

    mutating func drawFaults() {
        guard !calm.hasBegun else { return }
        let faults = scenario.faults
        schedule(.faultsDrawn, after: faults.every)
        if random.happens(faults.crash) {
            begin(.crash(drawNode()), ending: Fault.restart)
        }
        if random.happens(faults.pause) {
            begin(.pause(drawNode()), ending: Fault.resume)
        }
        if random.happens(faults.step) {
            perform(.step(drawNode(), milliseconds: VirtualClock.draw(within: 1_000, &random)))
        }
        if random.happens(faults.partition), nodes.count > 1, network.isWhole {
            perform(drawPartition())
            schedule(.faultEnds(.heal), after: random.time(in: faults.lasts))
        }
    }

    private mutating func drawNode() -> Int { random.index(below: nodes.count) }

    private mutating func begin(_ fault: Fault, ending: (Int) -> Fault) {
        let length = random.time(in: scenario.faults.lasts)
        perform(fault)
        switch fault {
        case .crash(let node), .pause(let node): schedule(.faultEnds(ending(node)), after: length)
        default: return
        }
    }

    /// Splits the nodes in two, or cuts one direction between two of them.
    private mutating func drawPartition() -> Fault {
        let first = drawNode()
        if random.index(below: 3) == 0 {
            let second = (first + 1 + random.index(below: nodes.count - 1)) % nodes.count
            return .cut(from: .node(first), to: .node(second))
        }
        var groups: [[Endpoint]] = [[.node(first)], []]
        for node in nodes.indices where node != first {
            let isLast = node == nodes.indices.last { $0 != first } && groups[1].isEmpty
            groups[isLast ? 1 : random.index(below: 2)].append(.node(node))
        }
        return .partition(groups)
    }
}

import ReplicaCore

/// Draws which faults happen when, before a run begins: the line `faults` of a scenario becomes, for
/// one seed, a list of faults as a file would name them.
///
/// So a run with drawn faults is a scenario like any other: it can be written down, and made shorter.
struct FaultPlan {
    let scenario: Scenario
    var random: SplitMix64
    private var script: [Scenario.Scripted] = []
    /// Until when one of the nodes is no member.
    private var membersBusy: Microseconds = 0
    /// A node with a fault gets no other one; nor does the network.
    private(set) var nodesBusy: [Microseconds]
    private var networkBusy: Microseconds = 0

    private init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        random = SplitMix64(seed: seed, part: 4)
        nodesBusy = [Microseconds](repeating: 0, count: scenario.cluster.replicas)
    }

    /// The faults that a seed draws, in order.
    static func draw(_ scenario: Scenario, seed: UInt64) -> [Scenario.Scripted] {
        var plan = FaultPlan(scenario, seed: seed)
        let every = max(scenario.faults.every, .milliseconds(1))
        var time = every
        while time < scenario.until {
            plan.drawFaults(at: time)
            time += every
        }
        return plan.script
    }

    /// What a scenario names, each at one time.
    static func drawTimes(of script: [Scenario.Scripted], seed: UInt64) -> [Scenario.Scripted] {
        var random = SplitMix64(seed: seed, part: 6)
        return script.map { scripted in
            if scripted.times.shortest == scripted.times.longest { return scripted }
            let time = random.time(in: scripted.times)
            // Whole milliseconds, so that it can be written down.
            return .init(at: time - time % 1_000, scripted.action)
        }
    }

    private mutating func drawFaults(at time: Microseconds) {
        var network: [Fault] = []
        var isSwizzling = false
        for (kind, chance) in zip(Fault.Kind.allCases, scenario.faults.chances)
        where random.happens(chance) {
            if kind == .swizzle {
                isSwizzling = nodesBusy.count > 1
            } else if kind == .abandon {
                drawAbandonment(at: time)
            } else if kind == .members {
                drawMembers(at: time)
            } else if !kind.isOfNetwork {
                drawNodeFault(kind, at: time)
            } else if let fault = drawNetworkFault(kind) {
                network.append(fault)
            }
        }
        guard isSwizzling || !network.isEmpty, time >= networkBusy else { return }
        for fault in network { add(fault, at: time) }
        networkBusy = drawEnd(from: time)
        if isSwizzling { addSwizzle(from: time, to: networkBusy) }
        add(.heal, at: networkBusy)
    }

    // MARK: Nodes

    private mutating func drawNodeFault(_ kind: Fault.Kind, at time: Microseconds) {
        let node = random.index(below: nodesBusy.count)
        var end = drawEnd(from: time)
        let (fault, ending) = drawNodeFault(kind, node)
        // Half of the sleeps are so long that others give up their connections.
        if kind == .sleep, random.index(below: 2) == 0 { end += .seconds(3) }
        guard time >= nodesBusy[node], nodesBusy.count > 1 || !kind.takesPeers else { return }
        add(fault, at: time)
        guard let ending else { return }
        nodesBusy[node] = end
        add(ending, at: end)
        guard case .crash = ending else { return }
        nodesBusy[node] = drawEnd(from: end)
        add(.restart(node), at: nodesBusy[node])
    }

    /// A fault of a node, and what ends it.
    private mutating func drawNodeFault(_ kind: Fault.Kind, _ node: Int) -> (Fault, Fault?) {
        switch kind {
        case .crash: (.crash(node), .restart(node))
        case .kill: (.kill(node), .restart(node))
        case .wipe: (.wipe(node), .restart(node))
        case .stop: (.stop(node), .restart(node))
        case .pause: (.pause(node), .resume(node))
        case .sleep: (.sleep(node), .wake(node))
        case .slowCPU: (.slowDown(node, by: drawSlowness()), .slowDown(node, by: nil))
        case .noHandles: (.exhaustHandles(node), .freeHandles(node))
        case .restore: (.backUp(node), .restore(node))
        case .slowDisk: (.disk(node, .slow(drawSlowness())), .disk(node, nil))
        case .readErrors: (.disk(node, .unreadable), .disk(node, nil))
        case .fullDisk: (.disk(node, .full), .disk(node, nil))
        case .failingDisk: (.disk(node, .failing), .restart(node))
        // Half of the lies come to light.
        case .lyingDisk:
            (.disk(node, .lying), random.index(below: 2) == 0 ? .crash(node) : .disk(node, nil))
        case .rot: (.rot(node), nil)
        case .spoiltLog: (.spoil(node), nil)
        case .misdirected: (.misdirect(node), nil)
        case .duplicateNode: (.duplicateNode(node), nil)
        case .evict: (.evict(node, by: random.index(below: nodesBusy.count)), nil)
        case .strobe: (.clock(node, .strobing(milliseconds: drawMilliseconds())), running(node))
        case .sway: (.clock(node, drawSway()), running(node))
        case .freeze: (.clock(node, .frozen), running(node))
        case .leap:
            (.step(node, milliseconds: random.index(below: 2) == 0 ? 3_600_000 : -3_600_000), nil)
        default: (.step(node, milliseconds: VirtualClock.draw(within: 1_000, &random)), nil)
        }
    }

    /// One node of a run at most: the others are to be most of all.
    private mutating func drawAbandonment(at time: Microseconds) {
        let node = random.index(below: nodesBusy.count)
        guard nodesBusy.count > 2, time >= nodesBusy[node], !nodesBusy.contains(.max) else {
            return
        }
        nodesBusy[node] = .max
        add(.abandon(node), at: time)
    }

    /// A node is no member for a while, and comes back as it went, or with nothing.
    private mutating func drawMembers(at time: Microseconds) {
        let node = random.index(below: nodesBusy.count)
        let hasDisk = random.index(below: 2) == 0
        let end = drawEnd(from: time)
        let all = Array(nodesBusy.indices)
        guard all.count > 2, time >= nodesBusy[node], time >= membersBusy, end < scenario.until
        else { return }
        nodesBusy[node] = end
        // The next one goes when this one is back for good.
        membersBusy = end + .seconds(1)
        add(.members(all.filter { $0 != node }), at: time)
        if !hasDisk { add(.wipe(node), at: end) }
        add(.members(all), at: end)
    }

    private func running(_ node: Int) -> Fault { .clock(node, .running) }

    private mutating func drawMilliseconds() -> UInt64 { 1 + random.number(below: 1_000) }

    private mutating func drawSway() -> VirtualClock.Mode {
        .swaying(
            milliseconds: drawMilliseconds(),
            every: .milliseconds(200 + random.number(below: 4_000)))
    }

    private mutating func drawSlowness() -> TimeRange {
        let shortest = Microseconds.milliseconds(10 + random.number(below: 100))
        return TimeRange(shortest, shortest + .milliseconds(random.number(below: 400)))
    }

    // MARK: The script

    mutating func drawEnd(from time: Microseconds) -> Microseconds {
        let end = time + random.time(in: scenario.faults.lasts)
        // Whole milliseconds, so that it can be written down.
        return end - end % 1_000
    }

    /// At the end of a scenario all faults end by themselves.
    mutating func add(_ fault: Fault, at time: Microseconds) {
        guard time < scenario.until else { return }
        script.append(.init(at: time, .fault(fault)))
    }
}

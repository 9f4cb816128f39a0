import ReplicaCore

/// Draws which faults happen when, before a run begins: the line `faults` of a scenario becomes, for
/// one seed, a list of faults as a file would name them.
///
/// So a run with drawn faults is a scenario like any other: it can be printed, and shrunk.
struct FaultPlan {
    let scenario: Scenario
    var random: SplitMix64
    private var script: [Scenario.Scripted] = []
    /// Until when one of the nodes is not a member.
    var membersBusy: Microseconds = 0
    /// A node with a fault gets no other one; nor does the network.
    private var nodesBusy: [Microseconds]
    private var networkBusy: Microseconds = 0

    private init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        random = SplitMix64(seed: seed, part: 4)
        nodesBusy = [Microseconds](repeating: 0, count: scenario.cluster.replicas)
    }

    /// The faults that a seed draws among these kinds, in order.
    static func draw(
        _ kinds: [DrawnFault], for scenario: Scenario, seed: UInt64
    ) -> [Scenario.Scripted] {
        var plan = FaultPlan(scenario, seed: seed)
        let every = max(scenario.faults.every, .milliseconds(1))
        var time = every
        while time < scenario.until {
            plan.draw(kinds, at: time)
            time += every
        }
        return plan.script
    }

    /// Draws one time for each line of the script.
    static func drawTimes(of script: [Scenario.Scripted], seed: UInt64) -> [Scenario.Scripted] {
        var random = SplitMix64(seed: seed, part: 6)
        return script.map { scripted in
            if scripted.times.shortest == scripted.times.longest { return scripted }
            let time = random.time(in: scripted.times)
            // Whole milliseconds, so that it can be written down.
            return .init(at: time - time % 1_000, scripted.action)
        }
    }

    private mutating func draw(_ kinds: [DrawnFault], at time: Microseconds) {
        var network: [any Fault] = []
        var links: [(inout FaultPlan, Microseconds, Microseconds) -> Void] = []
        for kind in kinds where random.happens(scenario.faults[kind.name]) {
            switch kind.draw {
            case .node(let draw): drawCourse(draw, needsPeers: kind.needsPeers, at: time)
            case .pair(let draw):
                guard let (first, second) = drawPair() else { continue }
                if let fault = draw(first, second, &self) { network.append(fault) }
            case .links(let draw): links += nodes.count > 1 ? [draw] : []
            case .script(let draw): draw(&self, time)
            }
        }
        guard !(network.isEmpty && links.isEmpty), time >= networkBusy else { return }
        for fault in network { add(fault, at: time) }
        networkBusy = drawEnd(from: time)
        for draw in links { draw(&self, time, networkBusy) }
        add(Heal(), at: networkBusy)
    }

    private mutating func drawCourse(
        _ draw: (Int, inout FaultPlan) -> DrawnFault.Course, needsPeers: Bool, at time: Microseconds
    ) {
        let node = random.index(below: nodes.count)
        let drawn = drawEnd(from: time)
        let course = draw(node, &self)
        guard isFree(node, at: time), nodes.count > 1 || !needsPeers else { return }
        add(course.fault, at: time)
        guard let ending = course.ending else { return }
        let end = drawn + course.extra
        occupy(node, until: end)
        add(ending, at: end)
        guard let sequel = course.sequel else { return }
        occupy(node, until: drawEnd(from: end))
        add(sequel, at: nodesBusy[node])
    }

    // MARK: Draws for kinds of faults

    var nodes: Range<Int> { nodesBusy.indices }

    func isFree(_ node: Int, at time: Microseconds) -> Bool { time >= nodesBusy[node] }

    mutating func occupy(_ node: Int, until end: Microseconds) { nodesBusy[node] = end }

    /// A fault of the network lasts longer than drawn.
    mutating func occupyNetwork(until end: Microseconds) { networkBusy = max(networkBusy, end) }

    /// Whether a node is gone for good.
    var hasLostNode: Bool { nodesBusy.contains(.max) }

    /// Two nodes; nil where there is one.
    private mutating func drawPair() -> (Int, Int)? {
        guard nodes.count > 1 else { return nil }
        let first = random.index(below: nodes.count)
        return (first, (first + 1 + random.index(below: nodes.count - 1)) % nodes.count)
    }

    mutating func drawMilliseconds() -> UInt64 { 1 + random.number(below: 1_000) }

    mutating func drawSlowness() -> TimeRange {
        let shortest = Microseconds.milliseconds(10 + random.number(below: 100))
        return TimeRange(shortest, shortest + .milliseconds(random.number(below: 400)))
    }

    mutating func drawEnd(from time: Microseconds) -> Microseconds {
        let end = time + random.time(in: scenario.faults.lasts)
        // Whole milliseconds, so that it can be written down.
        return end - end % 1_000
    }

    /// At the end of a scenario all faults end by themselves.
    mutating func add(_ fault: any Fault, at time: Microseconds) {
        guard time < scenario.until else { return }
        script.append(.init(at: time, .fault(fault)))
    }
}

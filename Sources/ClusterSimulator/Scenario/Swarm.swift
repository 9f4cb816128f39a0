import ReplicaCore
import SyncProtocol

/// Draws everything that a scenario with a line `swarm` does not name: the numbers of nodes and
/// clients, their work, the network, and the frequency of faults.
///
/// Half of the runs omit each feature, and five in six omit each kind of fault. A run without one
/// of them shows the bugs that it hides. Source: Groce et al., *Swarm Testing*.
struct Swarm {
    private var scenario: Scenario
    private var random: SplitMix64

    private init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        random = SplitMix64(seed: seed, part: 5)
    }

    /// The scenario of a seed. A seed with an upper half has the settings of that half, and some of
    /// its own.
    fileprivate static func draw(_ scenario: Scenario, seed: UInt64) -> Scenario {
        let parent = seed >> 32
        if parent == 0 { return drawAll(scenario, seed: seed) }
        return drawAll(scenario, seed: parent)
            .mixed(with: drawAll(scenario, seed: seed & 0xFFFF_FFFF), seed: seed)
    }

    private static func drawAll(_ scenario: Scenario, seed: UInt64) -> Scenario {
        var swarm = Swarm(scenario, seed: seed)
        swarm.drawCluster()
        swarm.drawNetwork()
        swarm.drawClients()
        swarm.drawWorkload()
        swarm.drawFaults()
        swarm.drawRetries()
        swarm.drawDensePrograms()
        swarm.drawClientsOfPorts()
        swarm.drawLimits()
        swarm.drawFirebaseClients()
        swarm.drawUsers()
        return swarm.scenario
    }

    private mutating func drawCluster() {
        // Nodes and clients that the file names must exist.
        if scenario.script.isEmpty { set("cluster replicas", \.cluster.replicas, 2 + index(4)) }
        let modes: [Durability] = [.commit, .commit, .interval, .memory]
        set("cluster durability", \.cluster.durability, modes[index(4)])
        set("cluster sync", \.cluster.sync, drawTimes(from: 1, upTo: 30))
        set("cluster start", \.cluster.start, drawTimes(from: 10, upTo: 500))
        set("cluster newer", \.cluster.newer, index(2) == 0 ? 0 : index(5))
        set("cluster log", \.cluster.logLimit, index(2) == 0 ? 10_000_000 : 20 + index(80))
    }

    private mutating func drawNetwork() {
        set("network delay", \.network.link.delay, drawTimes(from: 1, upTo: [5, 20, 60][index(3)]))
        set("network tail", \.network.link.tail, drawChance(upTo: 20_000))
        set("network loss", \.network.link.loss, drawChance(upTo: 150_000))
        set("network duplicate", \.network.link.duplicate, drawChance(upTo: 100_000))
        set("network reorder", \.network.link.reorder, drawChance(upTo: 300_000))
        set("network replay", \.network.link.replay, drawChance(upTo: 30_000))
        set("network corrupt", \.network.link.corrupt, drawChance(upTo: 20_000))
        set("network truncate", \.network.link.truncate, drawChance(upTo: 20_000))
        set("network queue", \.network.link.queue, index(2) == 0 ? 0 : 4 + index(60))
        set("network break", \.network.breaks, drawChance(upTo: 5_000))
        set("clocks skew", \.clocks.skew, index(2) == 0 ? 0 : .milliseconds(number(3_000)))
        set("clocks drift", \.clocks.drift, index(2) == 0 ? 0 : index(2_000))
    }

    private mutating func drawClients() {
        if scenario.script.isEmpty {
            let wasNamed = scenario.named.contains("cluster clients")
            set("clients count", \.clients.count, wasNamed ? scenario.clients.count : 1 + index(10))
        }
        set("clients listeners", \.clients.listeners, index(4))
        set("clients applications", \.clients.applications, max(0, index(8) - 4))
        set("clients pace", \.clients.pace, drawTimes(from: 2, upTo: [20, 100][index(2)]))
        let move = drawTimes(from: 200, upTo: 2_000)
        set("clients move", \.clients.move, index(2) == 0 ? nil : move)
        set("clients patience", \.clients.patience, .milliseconds(200 + number(1_000)))
        set("clients skew", \.clients.skew, index(2) == 0 ? 0 : .milliseconds(number(5_000)))
    }

    private mutating func drawWorkload() {
        set("workload operations", \.workload.operations, 50 + index(250))
        let applications = scenario.clients.applications == 0 ? 0 : 20 + index(100)
        set("workload applications", \.workload.applications, applications)
        set("workload lists", \.workload.lists, 1 + index(3))
        set("workload counters", \.workload.counters, 1 + index(3))
        for (index, kind) in WorkloadSettings.Kind.allCases.enumerated() {
            let weight = self.index(3) == 0 ? 0 : 1 + self.index(6)
            set("workload \(kind.rawValue)", \.workload.weights[index], weight)
        }
        set("workload concern", \.workload.concern, drawChance(upTo: 400_000))
        // At least one client sends requests.
        if scenario.workload.weights.allSatisfy({ $0 == 0 }) { scenario.workload.weights[0] = 1 }
    }

    private mutating func drawFaults() {
        set("faults every", \.faults.every, .milliseconds(200 + number(1_000)))
        set("faults lasts", \.faults.lasts, drawTimes(from: 50, upTo: [500, 2_000][index(2)]))
        for fault in FaultTable.drawn {
            let chance = self.index(3) > 0 ? .zero : drawChance(upTo: 500_000)
            set("faults \(fault.name)", \.faults[fault.name], chance)
        }
        for fault in FaultTable.drawn where scenario.faults[fault.name] != .zero {
            for name in fault.excluded { set("faults \(name)", \.faults[name], .zero) }
        }
    }

    /// How many clients are protocol clients, and the retry window of nodes.
    private mutating func drawRetries() {
        let count = scenario.clients.count
        set("clients protocol", \.clients.protocolClients, [0, count / 2, count][index(3)])
        // With a short one much becomes stable, and is forgotten, while clients still write.
        let longest: UInt64 = [60, 500, 2_000][index(3)]
        set("cluster retry-window", \.cluster.retryWindow, .milliseconds(20 + number(longest)))
        set("cluster lease", \.cluster.lease, .milliseconds(250 + number(800)))
        set("workload transactions", \.workload.transactions, drawChance(upTo: 600_000))
    }

    /// Half of the runs have programs that do everything at few places.
    private mutating func drawDensePrograms() {
        set("clients dense", \.clients.dense, max(0, index(8) - 3))
        let steps = scenario.clients.dense == 0 ? 0 : 40 + index(120)
        set("workload dense", \.workload.dense, steps)
    }

    /// A third of the runs have clients of REST, and as many have streams of events.
    private mutating func drawClientsOfPorts() {
        set("clients rest", \.clients.rest, max(0, index(6) - 3))
        set("clients streams", \.clients.streams, max(0, index(7) - 3))
        let steps = scenario.clients.rest + scenario.clients.streams == 0 ? 0 : 40 + index(100)
        set("workload rest", \.workload.rest, steps)
    }

    /// A third of the runs have clients of Firebase's protocol, most of which poll at first.
    private mutating func drawFirebaseClients() {
        set("clients firebase", \.clients.firebase, max(0, index(6) - 3))
        set("clients polls", \.clients.polls, min(index(3), scenario.clients.firebase))
        let steps = 20 + index(80)
        if scenario.clients.firebase > 0, scenario.workload.applications == 0 {
            set("workload applications", \.workload.applications, steps)
        }
    }

    /// Small limits of nodes, so that these meet their ends.
    private mutating func drawLimits() {
        set("cluster checkpoint", \.cluster.checkpointBytes, [300, 2_000, 20_000][index(3)])
        set("cluster catch-up", \.cluster.catchUpBytes, [20, 100, 1_000][index(3)])
    }

    /// In some of the runs without other clients of ports there are clients with identities, and rules that change.
    private mutating func drawUsers() {
        let (isDrawn, count, steps) = (index(2) == 0, 2 + index(6), 30 + index(90))
        guard !scenario.rules.isEmpty else { return }
        guard isDrawn, !scenario.clients.hasPortClients else {
            scenario.rules = []
            return
        }
        set("clients users", \.clients.users, count)
        set("workload users", \.workload.users, steps)
        for _ in 0..<index(5) {
            let time = number(scenario.until / 1_000) * 1_000
            let rules = SetRules(
                scenario.rules[index(scenario.rules.count)], on: index(scenario.cluster.replicas))
            scenario.script.append(.init(at: time, .fault(rules)))
        }
        // A run begins with any of them.
        scenario.rules = [scenario.rules[index(scenario.rules.count)]]
    }

    // MARK: Draws

    /// A setting that the file names stays; its value is drawn all the same, so that the others do
    /// not depend on which are named.
    private mutating func set<Value>(
        _ name: String, _ place: WritableKeyPath<Scenario, Value>, _ value: Value
    ) {
        if !scenario.named.contains(name) { scenario[keyPath: place] = value }
    }

    private mutating func index(_ count: Int) -> Int { random.index(below: count) }
    private mutating func number(_ limit: UInt64) -> UInt64 { random.number(below: limit) }

    /// None in half of all draws; low ones more often than high ones.
    private mutating func drawChance(upTo limit: UInt64) -> Probability {
        let drawn = min(number(limit) + 1, number(limit) + 1)
        return index(2) == 0 ? .zero : Probability(millionths: drawn)
    }

    private mutating func drawTimes(from shortest: UInt64, upTo longest: UInt64) -> TimeRange {
        let low = shortest + number(longest - shortest) / 4
        let high = low + number(longest - low + 1)
        return TimeRange(.milliseconds(low), .milliseconds(high))
    }
}

extension Scenario {
    /// The scenario of a seed: only the details of single events are still drawn, and every fault
    /// is named.
    public func drawn(seed: UInt64) -> Scenario {
        if hasDatabases { return self }
        var drawn = isSwarm ? Swarm.draw(self, seed: seed) : self
        drawn.isSwarm = false
        drawn.script = FaultPlan.drawTimes(of: drawn.script, seed: seed)
        let faults = FaultPlan.draw(FaultTable.drawn, for: drawn, seed: seed)
        drawn.faults = FaultSettings()
        drawn.named = drawn.named.filter { !$0.hasPrefix("faults ") }
        drawn.script += faults
        return drawn
    }
}

import ReplicaCore

/// The part of a scenario's script that runs with real processes and a proxied network, and the
/// skipped part.
struct RealScript {
    let network: ProxiedNetwork
    private(set) var steps: [(time: UInt64, step: RealPlan.Step)] = []
    /// How often what was skipped, by its name.
    private(set) var skipped: [String: Int] = [:]
    private let scenario: Scenario
    private var random: SplitMix64

    init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        random = SplitMix64(seed: seed, part: 20_000)
        let isProxied =
            scenario.clients.count <= RealPlan.proxiedClientLimit
            && scenario.script.contains { scripted in
                if case .fault(let fault as Partition) = scripted.action {
                    fault.namesClients
                } else {
                    false
                }
            }
        network = ProxiedNetwork(
            nodes: scenario.cluster.replicas, clients: isProxied ? scenario.clients.count : 0)
        for scripted in scenario.script { add(scripted.action, at: scripted.times.shortest) }
    }

    private mutating func add(_ action: Scenario.Scripted.Action, at time: UInt64) {
        switch action {
        case .request(let client, let request):
            steps.append((time, .request(client: client, RealRequest(request: request))))
        case .expectation(let expectation):
            steps.append((time, .read(RealRead(expectation: expectation))))
        case .fault(let fault as any ProxiedFault): add(fault, at: time)
        case .fault(let fault as Flap):
            let length = heal(after: time) - time
            for (after, change) in fault.changes(during: length, drawing: &random) {
                steps.append((time + after, .network(change)))
            }
        case .fault(let fault):
            if let step = RealPlan.Step(fault) {
                steps.append((time, step))
            } else {
                skip(type(of: fault).name)
            }
        }
    }

    private mutating func add(_ fault: any ProxiedFault, at time: UInt64) {
        guard let change = fault.change(of: network) else { return skip(type(of: fault).name) }
        steps.append((time, .network(change)))
        for name in (fault as? Degrade)?.simulatedSettings(in: scenario) ?? [] { skip(name) }
    }

    private mutating func skip(_ name: String) { skipped[name, default: 0] += 1 }

    /// When the next heal ends the faults of the network.
    private func heal(after time: UInt64) -> UInt64 {
        let heals = scenario.script.compactMap { scripted in
            if case .fault(is Heal) = scripted.action { scripted.times.shortest } else { nil }
        }
        return heals.filter { $0 > time }.min() ?? max(time, scenario.until)
    }
}

extension RealPlan.Step {
    /// The action on a process for a fault; nil if it needs a simulator.
    fileprivate init?(_ fault: any Fault) {
        switch fault {
        case let fault as Crash: self = .kill(node: fault.node)
        case let fault as Kill: self = .kill(node: fault.node)
        case let fault as Restart: self = .start(node: fault.node)
        case let fault as Stop: self = .stop(node: fault.node)
        case let fault as Pause: self = .suspend(node: fault.node)
        case let fault as Sleep: self = .suspend(node: fault.node)
        case let fault as Resume: self = .resume(node: fault.node)
        case let fault as Wake: self = .resume(node: fault.node)
        case let fault as Wipe: self = .wipe(node: fault.node)
        default: return nil
        }
    }
}

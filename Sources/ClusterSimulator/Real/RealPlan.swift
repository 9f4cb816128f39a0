package import DataTree

/// What a scenario does to real processes, in real time, and what of it only a simulator can do.
///
/// A process is killed where the power goes in a simulation: a real disk keeps what was handed to it.
package struct RealPlan: Sendable {
    package enum Step: Sendable {
        case kill(node: Int)
        case stop(node: Int)
        case start(node: Int)
        case suspend(node: Int)
        case resume(node: Int)
        /// The process is killed, its disk is emptied, and another one starts.
        case wipe(node: Int)
        case request(client: Int, RealRequest)
        case read(RealRead)
    }

    /// The longest scenario, in microseconds.
    package static let limit: UInt64 = 60_000_000

    let scenario: Scenario
    /// In the order of their times, in microseconds from the beginning.
    package let steps: [(time: UInt64, step: Step)]
    /// What real processes are spared, each by its name.
    package let skipped: [String]
    /// Whether faults are among them.
    let skipsFaults: Bool

    /// The plan of what a seed makes of a scenario.
    package init(_ scenario: Scenario, seed: UInt64) {
        let drawn = scenario.drawn(seed: seed)
        self.scenario = drawn
        var steps: [(time: UInt64, step: Step)] = []
        var skipped: [String: Int] = [:]
        for scripted in drawn.script {
            if let step = Step(scripted.action) {
                steps.append((scripted.times.shortest, step))
            } else if case .fault(let fault) = scripted.action, !(fault is Heal) {
                skipped[type(of: fault).name, default: 0] += 1
            }
        }
        self.steps = steps.sorted { $0.time < $1.time }
        skipsFaults = !skipped.isEmpty
        self.skipped =
            skipped.sorted { $0.key < $1.key }.map { $1 == 1 ? $0 : "\($0) (\($1) times)" }
            + drawn.settingsOfSimulators
    }
}

/// A request that a scenario names.
package struct RealRequest: Sendable {
    let request: ScriptedRequest
}

/// What a node is expected to show.
package struct RealRead: Sendable {
    let expectation: Expectation

    /// The node, counted from 0.
    package var node: Int { expectation.node }
    /// Where it is read.
    package var path: Path { expectation.path }
}

extension RealPlan {
    /// How many nodes there are.
    package var nodes: Int { scenario.cluster.replicas }
    /// How many clients send requests.
    package var clients: Int { scenario.clients.count }
    /// The durability mode of the nodes.
    package var durability: String { scenario.cluster.durability.rawValue }
    /// When clients stop, in microseconds.
    package var end: UInt64 { scenario.until }
    /// From one request of a client to the next, in microseconds, on average.
    package var pace: UInt64 {
        (scenario.clients.pace.shortest + scenario.clients.pace.longest) / 2
    }
    /// From one node of a client to the next, in microseconds, on average; nil if it stays.
    package var move: UInt64? {
        scenario.clients.move.map { ($0.shortest + $0.longest) / 2 }
    }
    /// What is in the tree before.
    package var data: Value? { scenario.data?.value }

    /// The checks of the scenario that judge real nodes, too.
    package var checks: [Check] {
        scenario.checks.filter { RealPlan.judged.contains($0) }
    }
    private static let judged =
        RecordedRun.checks + [.staysLive, .invariantsHold, .expectationsHold]
}

extension RealPlan.Step {
    /// What is done for an action; nil if that takes a simulator.
    fileprivate init?(_ action: Scenario.Scripted.Action) {
        switch action {
        case .request(let client, let request):
            self = .request(client: client, RealRequest(request: request))
        case .expectation(let expectation): self = .read(RealRead(expectation: expectation))
        case .fault(let fault as Crash): self = .kill(node: fault.node)
        case .fault(let fault as Kill): self = .kill(node: fault.node)
        case .fault(let fault as Restart): self = .start(node: fault.node)
        case .fault(let fault as Stop): self = .stop(node: fault.node)
        case .fault(let fault as Pause): self = .suspend(node: fault.node)
        case .fault(let fault as Sleep): self = .suspend(node: fault.node)
        case .fault(let fault as Resume): self = .resume(node: fault.node)
        case .fault(let fault as Wake): self = .resume(node: fault.node)
        case .fault(let fault as Wipe): self = .wipe(node: fault.node)
        case .fault: return nil
        }
    }
}

extension Scenario {
    /// The settings and clients of the file that real nodes on one machine do not have.
    fileprivate var settingsOfSimulators: [String] {
        let sections = ["network", "clocks"].filter { section in
            named.contains { $0.hasPrefix(section + " ") }
        }
        let clients = [
            "protocol", "listeners", "applications", "dense", "firebase", "idle", "users",
        ]
        return sections.map { "settings of \($0)" }
            + clients.filter { named.contains("clients \($0)") }.map { "clients \($0)" }
            + mix.filter(\.needsLibrary).map { "mix \($0.text)" }
    }
}

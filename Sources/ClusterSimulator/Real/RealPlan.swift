package import DataTree

/// The actions of a scenario on real processes in real time, and the parts that need a simulator.
///
/// A process is killed for each simulated power failure; a real disk keeps the data that were
/// handed to it.
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
        case network(NetworkChange)
    }

    /// The longest scenario, in microseconds.
    package static let limit: UInt64 = 60_000_000
    /// The most clients between which and the nodes a proxy stands: each takes a port for each node.
    static let proxiedClientLimit = 64

    let scenario: Scenario
    /// In the order of their times, in microseconds from the beginning.
    package let steps: [(time: UInt64, step: Step)]
    /// The skipped faults, by name.
    package let skipped: [String]
    /// Whether faults are among them.
    let skipsFaults: Bool
    /// The number of clients behind the proxy: all or none.
    package let proxiedClients: Int

    /// The plan of what a seed makes of a scenario.
    package init(_ scenario: Scenario, seed: UInt64) {
        let drawn = scenario.drawn(seed: seed)
        self.scenario = drawn
        let script = RealScript(drawn, seed: seed)
        proxiedClients = script.network.clients
        steps = script.steps.sorted { $0.time < $1.time }
        skipsFaults = !script.skipped.isEmpty
        skipped =
            script.skipped.sorted { $0.key < $1.key }
            .map { $1 == 1 ? $0 : "\($0) (\($1) times)" } + drawn.settingsOfSimulators
    }
}

/// A request that a scenario names.
package struct RealRequest: Sendable {
    let request: ScriptedRequest
}

/// An expected value of a node.
package struct RealRead: Sendable {
    let expectation: Expectation

    /// The node, counted from 0.
    package var node: Int { expectation.node }
    /// The location of the read.
    package var path: Path { expectation.path }
}

extension RealPlan {
    /// How many nodes there are.
    package var nodes: Int { scenario.cluster.replicas }
    /// Whether all that nodes tell each other goes through a proxy.
    package var needsProxy: Bool {
        linkPace != .immediate
            || steps.contains { step in
                if case .network(let change) = step.step { change != .heal } else { false }
            }
    }
    /// How long bytes take between nodes while there is no fault.
    package var linkPace: LinkPace {
        let isNamed = LinkPace.settings.contains { scenario.named.contains("network \($0)") }
        return isNamed ? LinkPace(scenario.network.link) : .immediate
    }
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
    /// The initial tree.
    package var data: Value? { scenario.data?.value }

    /// The checks of the scenario that judge real nodes, too.
    package var checks: [Check] {
        scenario.checks.filter { RealPlan.judged.contains($0) }
    }
    private static let judged =
        RecordedRun.checks + [.staysLive, .invariantsHold, .expectationsHold]
}

extension Scenario {
    /// The settings and clients of the file that real nodes on one machine do not have.
    fileprivate var settingsOfSimulators: [String] {
        let network = named.filter { $0.hasPrefix("network ") }.sorted()
            .filter { name in !LinkPace.settings.contains { name == "network \($0)" } }
        let clocks = named.contains { $0.hasPrefix("clocks ") } ? ["settings of clocks"] : []
        let clients = [
            "protocol", "listeners", "applications", "dense", "firebase", "idle", "users",
        ]
        return network + clocks
            + clients.filter { named.contains("clients \($0)") }.map { "clients \($0)" }
            + mix.filter(\.needsLibrary).map { "mix \($0.text)" }
    }
}

import ReplicaCore
import SyncProtocol

/// A scenario that has too much in it, or something else, for every schedule of it to be tried.
public struct SearchError: Error, Equatable, Sendable {
    /// The problem, in the words of the scenario.
    public let problem: String
    /// The correction.
    public let fix: String
}

/// The parts of a scenario that a universe uses: its nodes, the requests of its script, and the
/// nodes that crash. Every order is tried, so the times of the script, the network and the pace of
/// clients have no effect.
struct UniversePlan {
    static let nodeLimit = 4
    static let requestLimit = 6

    let scenario: Scenario
    /// By client, in order.
    private(set) var requests: [[Workload.Request]]
    /// How often each node crashes.
    private(set) var crashes: [Int]

    init(_ scenario: Scenario) throws(SearchError) {
        self.scenario = scenario
        requests = []
        crashes = Array(repeating: 0, count: scenario.cluster.replicas)
        try requireTiny()
        var scripted = Array(repeating: [ScriptedRequest](), count: scenario.clients.count)
        for line in scenario.script {
            switch line.action {
            case .request(let client, let request): scripted[client].append(request)
            case .fault(let crash as Crash): crashes[crash.node] += 1
            // A node that is down starts again by itself, at every moment.
            case .fault(is Restart): break
            case .expectation:
                throw SearchError(
                    problem: "exhaustive search has no times at which something is expected",
                    fix: "leave out the lines with \"expect\"")
            case .fault(let fault):
                throw SearchError(
                    problem: "exhaustive search cannot \(fault.text(in: scenario))",
                    fix: "name crashes alone; \"search losses=1\" has published frames be lost")
            }
        }
        requests = scripted.enumerated().map { UniversePlan.requests($1, of: $0) }
        let count = requests.reduce(0) { $0 + $1.count }
        guard (1...UniversePlan.requestLimit).contains(count) else {
            throw SearchError(
                problem: "exhaustive search tries 1 to \(UniversePlan.requestLimit) requests, and "
                    + "the script names \(count)",
                fix: "name some, as in \"at 1s c1 set /a 1\"")
        }
    }

    private func requireTiny() throws(SearchError) {
        if scenario.cluster.replicas > UniversePlan.nodeLimit {
            throw SearchError(
                problem: "exhaustive search takes up to \(UniversePlan.nodeLimit) nodes",
                fix: "set \"cluster replicas=2\"")
        }
        if scenario.cluster.durability != .commit {
            throw SearchError(
                problem: "exhaustive search knows disks with durability=commit alone",
                fix: "set \"cluster durability=commit\"")
        }
        let workload = scenario.workload
        let programs = scenario.clients.total - scenario.clients.count
        if scenario.isSwarm || workload.operations > 0 || programs > 0 {
            throw SearchError(
                problem: "exhaustive search runs the requests of the script alone",
                fix: "leave out \"swarm\", \"workload operations\", and all clients but \"count\"")
        }
    }

    private static func requests(
        _ scripted: [ScriptedRequest], of client: Int
    ) -> [Workload.Request] {
        var source = RequestSource(
            client: client, remaining: 0,
            random: SplitMix64(seed: 1, part: 10_000 + UInt64(client)))
        source.scripted = scripted
        let workload = Workload(WorkloadSettings())
        return scripted.compactMap { _ in
            source.next(workload, keyMilliseconds: VirtualClock.beginning)
        }
    }
}

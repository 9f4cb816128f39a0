public import Marks

/// A claim about a cluster, and the circumstances under which it must hold: what a `.scenario` file
/// says. `Simulations/README.md` describes the format; `Scenario(parsing:name:)` reads it.
public struct Scenario: Sendable {
    /// The name of the file, without its ending: the behaviour that is claimed.
    public let name: String
    /// The first lines of comment: the claim in words.
    public internal(set) var claim = ""
    /// The guarantees that the scenario is about; its checks may judge more.
    public internal(set) var guarantees: [Guarantee] = []
    /// The first version of Hearth with this scenario.
    public internal(set) var since: String?
    /// The seeds to run by default.
    public internal(set) var seeds: ClosedRange<UInt64> = 1...10
    /// The checks to judge a run by.
    public internal(set) var checks: [Check] = []
    /// Rare paths, each of which some run has to reach.
    public internal(set) var marks: [Mark] = []

    /// Whether runs are recorded and compared, for checks.
    private(set) var isObserved = true

    /// Settings that the file does not name are drawn from the seed, which may leave a check without anything to check.
    public internal(set) var isSwarm = false

    var cluster = ClusterSettings()
    var network = NetworkSettings()
    var clients = ClientSettings()
    var workload = WorkloadSettings()
    var clocks = ClockSettings()
    var faults = FaultSettings()
    var search = SearchSettings()
    var databases = DatabaseSettings()
    var script: [Scripted] = []
    /// The initial tree of a run.
    var data: LoadedData?
    /// The files of rules: the first ones are enforced when a run begins, and a swarm changes to any of them.
    var rules: [String] = []
    /// All rules that the scenario names.
    var documents: [RulesDocument] = []
    /// The requests of clients in addition to `workload`.
    var mix: [MixedRequest] = []
    /// The invariants of every node after every turn.
    var invariants: [Invariant] = []
    /// The settings that the file names, as in `network loss`.
    var named: Set<String> = []
    /// Whether it is about several databases. Such runs have clients, faults and checks of their own.
    public var hasDatabases: Bool { databases.count > 0 }
    /// Whether nothing happens to nodes, and to connections of clients.
    var isUndisturbed: Bool {
        let hasFault = script.contains { if case .fault = $0.action { true } else { false } }
        return faults.areNone && !hasFault && network.breaks == .zero
    }
    /// When clients stop and faults end.
    var until: Microseconds = .seconds(10)
    /// The longest time without progress after all faults before the cluster counts as stuck. A
    /// client searches ten seconds for a node that holds everything that it has seen, and as long
    /// for the outcome of an open request.
    var quiescence: Microseconds = .seconds(30)

    init(name: String) { self.name = name }

    /// The same without checks: its runs are the same, except that they record and compare nothing.
    package var withoutChecks: Scenario {
        var scenario = self
        scenario.checks = []
        scenario.isObserved = false
        return scenario
    }
}

extension Scenario {
    /// An action at a time that the scenario names, or at one that is drawn from a range.
    struct Scripted: Sendable {
        var times: TimeRange
        var action: Action

        init(at times: TimeRange, _ action: Action) {
            self.times = times
            self.action = action
        }

        init(at time: Microseconds, _ action: Action) {
            self.init(at: TimeRange(time, time), action)
        }

        enum Action: Sendable {
            case fault(any Fault)
            case request(client: Int, ScriptedRequest)
            case expectation(Expectation)
        }
    }
}

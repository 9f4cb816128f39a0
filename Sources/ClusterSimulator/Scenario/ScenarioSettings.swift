/// The sections of a scenario file that hold `name=value` settings.
enum ScenarioSection: String, CaseIterable {
    case cluster, network, clients, workload, clocks, faults, search, databases

    /// Takes the settings of a line.
    func read(_ line: inout ScenarioLine, into scenario: inout Scenario) throws(ScenarioError) {
        while !line.isAtEnd {
            let name = try ScenarioSetting.read(&line, among: settings, into: &scenario)
            scenario.named.insert("\(rawValue) \(name)")
        }
    }
}

extension ScenarioSection {
    var settings: [ScenarioSetting] {
        switch self {
        case .cluster: clusterSettings
        case .network: networkSettings
        case .clients: clientSettings
        case .workload: workloadSettings
        case .clocks: clockSettings
        case .faults: faultSettings
        case .search: searchSettings
        case .databases: databaseSettings
        }
    }

    private var clusterSettings: [ScenarioSetting] {
        [
            .count("replicas", \.cluster.replicas, in: 1...9),
            .count("clients", \.clients.count, in: 0...10_000),
            .count("newer", \.cluster.newer, in: 0...9),
            .count("newcomers", \.cluster.newcomers, in: 0...8),
            .value(
                "durability", \.cluster.durability,
                { word throws(ScenarioError) in try word.durability() }, \.rawValue),
            .times("sync", \.cluster.sync),
            .times("start", \.cluster.start),
            .count("log", \.cluster.logLimit, in: 1...10_000_000),
            .count("checkpoint", \.cluster.checkpointBytes, in: 1...1_000_000),
            .count("catch-up", \.cluster.catchUpBytes, in: 1...1_000_000),
            .count("turn", \.cluster.turnUnits, in: 100...1_000_000),
            .time("retry-window", \.cluster.retryWindow),
            .time("lease", \.cluster.lease),
            .time("compare", \.cluster.compare),
            .time("presence", \.cluster.presence),
            .time("serve", \.cluster.serve),
        ]
    }

    private var networkSettings: [ScenarioSetting] {
        ScenarioSetting.link(at: \.network.link) + [
            .chance("break", \.network.breaks),
            .times("join", \.network.join),
        ]
    }

    private var clientSettings: [ScenarioSetting] {
        [
            .count("count", \.clients.count, in: 0...10_000),
            .count("protocol", \.clients.protocolClients, in: 0...10_000),
            .count("listeners", \.clients.listeners, in: 0...1_000),
            .value(
                "listen", \.clients.listen, { word throws(ScenarioError) in try word.path() },
                { $0.map { "\($0)" } ?? "in-turn" }),
            .count("applications", \.clients.applications, in: 0...100),
            .count("dense", \.clients.dense, in: 0...100),
            .count("idle", \.clients.idle, in: 0...100),
            .count("firebase", \.clients.firebase, in: 0...100),
            .count("polls", \.clients.polls, in: 0...100),
            .count("rest", \.clients.rest, in: 0...100),
            .count("streams", \.clients.streams, in: 0...100),
            .count("users", \.clients.users, in: 0...100),
            .count("hostile", \.clients.hostile, in: 0...100),
            .times("pace", \.clients.pace),
            .value(
                "move", \.clients.move, { word throws(ScenarioError) in try word.times() },
                { $0?.text ?? "never" }),
            .time("patience", \.clients.patience),
            .time("answer", \.clients.answer),
            .time("connect", \.clients.connect),
            .time("skew", \.clients.skew),
        ]
    }

    private var workloadSettings: [ScenarioSetting] {
        [
            .count("operations", \.workload.operations, in: 0...1_000_000),
            .count("applications", \.workload.applications, in: 0...10_000),
            .count("dense", \.workload.dense, in: 0...10_000),
            .count("rest", \.workload.rest, in: 0...10_000),
            .count("users", \.workload.users, in: 0...10_000),
            .count("children", \.workload.children, in: 0...10_000),
            .count("lists", \.workload.lists, in: 1...1_000),
            .count("counters", \.workload.counters, in: 1...1_000),
            .chance("concern", \.workload.concern),
            .chance("transactions", \.workload.transactions),
            .chance("successions", \.workload.successions),
        ]
            + WorkloadSettings.Kind.allCases.enumerated().map { index, kind in
                .count(kind.rawValue, \.workload.weights[index], in: 0...1_000)
            }
    }

    private var clockSettings: [ScenarioSetting] {
        [
            .time("skew", \.clocks.skew),
            .value(
                "drift", \.clocks.drift, { word throws(ScenarioError) in try word.drift() },
                { "\($0)ppm" }),
        ]
    }

    private var searchSettings: [ScenarioSetting] {
        [
            .value(
                "way", \.search.way,
                { word throws(ScenarioError) in
                    guard let way = SearchWay(rawValue: word.text) else {
                        throw .unknown(word, known: SearchWay.allCases.map(\.rawValue))
                    }
                    return way
                }, \.rawValue),
            .count("depth", \.search.depth, in: 1...100),
            .time("window", \.search.window),
            .count("ticks", \.search.ticks, in: 0...10),
            .count("losses", \.search.losses, in: 0...10),
            .count("states", \.search.states, in: 1...1_000_000_000),
        ]
    }

    private var databaseSettings: [ScenarioSetting] {
        [
            .count("count", \.databases.count, in: 1...20),
            .times("sleep", \.databases.sleep),
            .value(
                "moves", \.databases.moves, { word throws(ScenarioError) in try word.times() },
                { $0?.text ?? "never" }),
            .chance("leaves", \.databases.leaves),
        ]
    }

    private var faultSettings: [ScenarioSetting] {
        [
            .time("every", \.faults.every),
            .times("lasts", \.faults.lasts),
        ]
            + FaultTable.drawn.map { .chance($0.name, \.faults[$0.name]) }
    }
}

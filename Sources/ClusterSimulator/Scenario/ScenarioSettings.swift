/// The sections of a scenario file that hold `name=value` settings.
enum ScenarioSection: String, CaseIterable {
    case cluster, network, clients, workload, clocks, faults

    /// Takes the settings of a line.
    func read(_ line: inout ScenarioLine, into scenario: inout Scenario) throws(ScenarioError) {
        let known = settings
        while !line.isAtEnd {
            let word = line.take()
            guard let (name, value) = word.setting else {
                guard !known.contains(where: { $0.name == word.text }) else {
                    throw .expected("a value, as in \(word.text)=…", found: line.peek)
                }
                throw .unknown(word, known: known.map(\.name))
            }
            guard let setting = known.first(where: { $0.name == name.text }) else {
                throw .unknown(name, known: known.map(\.name))
            }
            try setting.read(value, &scenario)
        }
    }
}

/// A setting by its name, and how its value is read.
struct ScenarioSetting {
    var name: String
    var read: (ScenarioWord, inout Scenario) throws(ScenarioError) -> Void

    private init(
        _ name: String,
        _ read: @escaping (ScenarioWord, inout Scenario) throws(ScenarioError) -> Void
    ) {
        self.name = name
        self.read = read
    }

    static func times(
        _ name: String, _ place: WritableKeyPath<Scenario, TimeRange>
    ) -> ScenarioSetting {
        ScenarioSetting(name) { word, scenario throws(ScenarioError) in
            scenario[keyPath: place] = try word.times()
        }
    }

    static func time(
        _ name: String, _ place: WritableKeyPath<Scenario, Microseconds>
    ) -> ScenarioSetting {
        ScenarioSetting(name) { word, scenario throws(ScenarioError) in
            scenario[keyPath: place] = try word.time()
        }
    }

    static func chance(
        _ name: String, _ place: WritableKeyPath<Scenario, Probability>
    ) -> ScenarioSetting {
        ScenarioSetting(name) { word, scenario throws(ScenarioError) in
            scenario[keyPath: place] = try word.probability()
        }
    }

    static func count(
        _ name: String, _ place: WritableKeyPath<Scenario, Int>, in range: ClosedRange<Int>
    ) -> ScenarioSetting {
        ScenarioSetting(name) { word, scenario throws(ScenarioError) in
            scenario[keyPath: place] = try word.count(in: range)
        }
    }

    static func other(
        _ name: String,
        _ read: @escaping (ScenarioWord, inout Scenario) throws(ScenarioError) -> Void
    ) -> ScenarioSetting {
        ScenarioSetting(name, read)
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
        }
    }

    private var clusterSettings: [ScenarioSetting] {
        [
            .count("replicas", \.cluster.replicas, in: 1...9),
            .count("clients", \.clients.count, in: 0...10_000),
            .other("durability") { word, scenario throws(ScenarioError) in
                scenario.cluster.durability = try word.durability()
            },
            .times("sync", \.cluster.sync),
            .times("start", \.cluster.start),
        ]
    }

    private var networkSettings: [ScenarioSetting] {
        [
            .times("delay", \.network.delay),
            .chance("loss", \.network.loss),
            .chance("duplicate", \.network.duplicate),
            .chance("reorder", \.network.reorder),
            .chance("break", \.network.breaks),
            .other("bandwidth") { word, scenario throws(ScenarioError) in
                scenario.network.bandwidth = try word.bandwidth()
            },
            .count("queue", \.network.queue, in: 1...1_000_000),
            .times("join", \.network.join),
        ]
    }

    private var clientSettings: [ScenarioSetting] {
        [
            .count("count", \.clients.count, in: 0...10_000),
            .count("listeners", \.clients.listeners, in: 0...1_000),
            .times("pace", \.clients.pace),
            .other("move") { word, scenario throws(ScenarioError) in
                scenario.clients.move = try word.times()
            },
            .time("patience", \.clients.patience),
            .time("skew", \.clients.skew),
        ]
    }

    private var workloadSettings: [ScenarioSetting] {
        [
            .count("operations", \.workload.operations, in: 0...1_000_000),
            .count("lists", \.workload.lists, in: 1...1_000),
            .count("counters", \.workload.counters, in: 1...1_000),
        ]
            + Scenario.Workload.Kind.allCases.enumerated().map { index, kind in
                .count(kind.rawValue, \.workload.weights[index], in: 0...1_000)
            }
    }

    private var clockSettings: [ScenarioSetting] {
        [
            .time("skew", \.clocks.skew),
            .other("drift") { word, scenario throws(ScenarioError) in
                scenario.clocks.drift = try word.drift()
            },
        ]
    }

    private var faultSettings: [ScenarioSetting] {
        [
            .time("every", \.faults.every),
            .times("lasts", \.faults.lasts),
            .chance("crash", \.faults.crash),
            .chance("partition", \.faults.partition),
            .chance("pause", \.faults.pause),
            .chance("step", \.faults.step),
        ]
    }
}

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
            scenario.named.insert("\(rawValue) \(setting.name)")
        }
    }
}

/// A setting by its name, how its value is read, and how it is written.
struct ScenarioSetting {
    var name: String
    var read: (ScenarioWord, inout Scenario) throws(ScenarioError) -> Void
    var write: (Scenario) -> String

    private init(
        _ name: String,
        _ read: @escaping (ScenarioWord, inout Scenario) throws(ScenarioError) -> Void,
        _ write: @escaping (Scenario) -> String
    ) {
        self.name = name
        self.read = read
        self.write = write
    }

    static func value<Value>(
        _ name: String, _ place: WritableKeyPath<Scenario, Value>,
        _ read: @escaping (ScenarioWord) throws(ScenarioError) -> Value,
        _ write: @escaping (Value) -> String
    ) -> ScenarioSetting {
        ScenarioSetting(
            name,
            { word, scenario throws(ScenarioError) in scenario[keyPath: place] = try read(word) },
            { scenario in write(scenario[keyPath: place]) })
    }

    static func times(
        _ name: String, _ place: WritableKeyPath<Scenario, TimeRange>
    ) -> ScenarioSetting {
        value(name, place, { word throws(ScenarioError) in try word.times() }, \.text)
    }

    static func time(
        _ name: String, _ place: WritableKeyPath<Scenario, Microseconds>
    ) -> ScenarioSetting {
        value(name, place, { word throws(ScenarioError) in try word.time() }, \.text)
    }

    static func chance(
        _ name: String, _ place: WritableKeyPath<Scenario, Probability>
    ) -> ScenarioSetting {
        value(name, place, { word throws(ScenarioError) in try word.probability() }, \.text)
    }

    static func count(
        _ name: String, _ place: WritableKeyPath<Scenario, Int>, in range: ClosedRange<Int>
    ) -> ScenarioSetting {
        value(name, place, { word throws(ScenarioError) in try word.count(in: range) }, { "\($0)" })
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
            .count("newer", \.cluster.newer, in: 0...9),
            .count("newcomers", \.cluster.newcomers, in: 0...8),
            .value(
                "durability", \.cluster.durability,
                { word throws(ScenarioError) in try word.durability() }, \.rawValue),
            .times("sync", \.cluster.sync),
            .times("start", \.cluster.start),
            .count("log", \.cluster.logLimit, in: 1...10_000_000),
            .time("retry-window", \.cluster.retryWindow),
            .time("lease", \.cluster.lease),
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
            .count("applications", \.clients.applications, in: 0...100),
            .count("idle", \.clients.idle, in: 0...100),
            .times("pace", \.clients.pace),
            .value(
                "move", \.clients.move, { word throws(ScenarioError) in try word.times() },
                { $0?.text ?? "never" }),
            .time("patience", \.clients.patience),
            .time("skew", \.clients.skew),
        ]
    }

    private var workloadSettings: [ScenarioSetting] {
        [
            .count("operations", \.workload.operations, in: 0...1_000_000),
            .count("applications", \.workload.applications, in: 0...10_000),
            .count("lists", \.workload.lists, in: 1...1_000),
            .count("counters", \.workload.counters, in: 1...1_000),
            .chance("concern", \.workload.concern),
            .chance("transactions", \.workload.transactions),
        ]
            + Scenario.Workload.Kind.allCases.enumerated().map { index, kind in
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

    private var faultSettings: [ScenarioSetting] {
        [
            .time("every", \.faults.every),
            .times("lasts", \.faults.lasts),
        ]
            + Fault.Kind.allCases.enumerated().map { index, kind in
                .chance(kind.rawValue, \.faults.chances[index])
            }
    }
}

extension ScenarioSetting {
    /// What can be said of a link, for all of them and for the one that a fault makes bad.
    static func link(at place: WritableKeyPath<Scenario, LinkQuality>) -> [ScenarioSetting] {
        [
            .times("delay", place.appending(path: \.delay)),
            .chance("tail", place.appending(path: \.tail)),
            .chance("loss", place.appending(path: \.loss)),
            .chance("duplicate", place.appending(path: \.duplicate)),
            .chance("reorder", place.appending(path: \.reorder)),
            .chance("replay", place.appending(path: \.replay)),
            .chance("corrupt", place.appending(path: \.corrupt)),
            .chance("truncate", place.appending(path: \.truncate)),
            .value(
                "bandwidth", place.appending(path: \.bandwidth),
                { word throws(ScenarioError) in try word.bandwidth() }, { "\($0 / 1_000)kB" }),
            .count("queue", place.appending(path: \.queue), in: 1...1_000_000),
        ]
    }
}

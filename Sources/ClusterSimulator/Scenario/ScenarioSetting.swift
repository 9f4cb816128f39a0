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

extension ScenarioSetting {
    /// Takes `name=value` from a line, and returns the name.
    static func read(
        _ line: inout ScenarioLine, among known: [ScenarioSetting], into scenario: inout Scenario
    ) throws(ScenarioError) -> String {
        let word = line.removeFirst()
        guard let (name, value) = word.setting else {
            if word.isEnd { throw .expected("a setting such as loss=30%", found: word) }
            guard !known.contains(where: { $0.name == word.text }) else {
                throw .expected("a value, as in \(word.text)=…", found: line.peek)
            }
            throw .unknown(word, known: known.map(\.name))
        }
        guard let setting = known.first(where: { $0.name == name.text }) else {
            throw .unknown(name, known: known.map(\.name))
        }
        try setting.read(value, &scenario)
        return setting.name
    }
}

extension ScenarioSetting {
    /// The settings of a link, for all links and for the one that a fault degrades.
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

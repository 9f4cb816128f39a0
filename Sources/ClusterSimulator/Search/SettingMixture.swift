import ReplicaCore

// How a seed of a guided search gets its settings: those of a seed that has reached rare paths, and some of its own.

extension Scenario {
    /// The settings of this scenario, and about one in four of another one.
    func mixed(with other: Scenario, seed: UInt64) -> Scenario {
        var mixed = self
        var random = SplitMix64(seed: seed, part: 8)
        for setting in ScenarioSection.allCases.flatMap(\.settings) {
            guard random.index(below: 4) == 0 else { continue }
            let value = ScenarioWord(text: setting.write(other), line: 0, column: 0)
            // A setting without a text, such as a queue without a limit, stays as it is.
            try? setting.read(value, &mixed)
        }
        for fault in FaultTable.drawn where mixed.faults[fault.name] != .zero {
            for name in fault.excluded { mixed.faults[name] = .zero }
        }
        return mixed
    }
}

/// Makes a scenario that fails shorter, as long as the same check fails with it.
///
/// It works on the text: with an earlier end, without actions, without a line, without a setting, with a smaller
/// number. A candidate that does not fail is dropped. A shorter scenario draws other events, so each is tried with a
/// few seeds. The largest reductions come first, since they shorten all further runs. Source: Zeller and Hildebrandt,
/// *Simplifying and Isolating Failure-Inducing Input*.
public struct Shrinking: Sendable {
    /// The shortest scenario so far.
    public private(set) var scenario: Scenario
    /// The seed with which it fails.
    public private(set) var seed: UInt64
    /// The check that fails; nil where the run itself has a failure, and no check fails.
    public let check: Check?
    /// How many runs it took so far.
    public private(set) var runs = 0

    private let budget: Budget
    private let run: @Sendable (Scenario, UInt64) -> SimulationReport
    /// The failure of the run itself, if no check fails.
    private let failure: String?
    private var lines: [String]

    /// How long it may go on.
    public struct Budget: Sendable {
        let runs: Int
        let isOver: @Sendable () -> Bool

        /// - Parameters:
        ///   - runs: The most runs to try.
        ///   - isOver: Whether the time is over.
        public init(runs: Int, isOver: @escaping @Sendable () -> Bool = { false }) {
            self.runs = runs
            self.isOver = isOver
        }
    }

    /// The first failed check of a seed that decides the kind of the failure; nil if none fails, and the run has no
    /// failure.
    ///
    /// - Parameter run: Runs a scenario with a seed.
    public init?(
        _ scenario: Scenario, seed: UInt64, _ budget: Budget,
        run: @escaping @Sendable (Scenario, UInt64) -> SimulationReport = Simulation.run
    ) {
        let report = run(scenario, seed)
        guard report.verdict == .invalid else { return nil }
        let failed = report.checks.filter { $0.verdict == .invalid }.map(\.check)
        check = failed.first { $0.failureKind == report.failureKind } ?? failed.first
        failure = report.failure.map(Shrinking.key)
        self.scenario = scenario.drawn(seed: seed)
        if let check { self.scenario.claim(check, of: report) }
        self.scenario.claim = "Fails as \(scenario.name) does with seed \(seed)."
        self.scenario.seeds = seed...seed
        self.seed = seed
        self.budget = budget
        self.run = run
        lines = self.scenario.text.split(separator: "\n").map(String.init)
    }

    /// How many words the scenario has.
    public var size: Int {
        lines.reduce(0) { $1.hasPrefix("#") ? $0 : $0 + $1.split(separator: " ").count }
    }

    /// How many lines it has.
    public var lineCount: Int { lines.count }

    /// Tries everything once; false if nothing could be left out, or the budget is used up.
    public mutating func step() -> Bool {
        let before = lines
        endEarlier()
        dropActions()
        dropSections()
        dropMix()
        lowerCounts(to: [{ $0 / 8 }, { $0 / 2 }])
        dropSettings()
        lowerCounts(to: [{ _ in 1 }, { $0 / 2 }, { $0 * 3 / 4 }, { $0 <= 8 ? $0 - 1 : $0 }])
        return lines != before && mayContinue
    }

    /// Whether the scenario fails in the same way twice, and both runs are equal.
    public var isConfirmed: Bool {
        let reports = (run(scenario, seed), run(scenario, seed))
        return shows(reports.0) && shows(reports.1) && reports.0.traceHash == reports.1.traceHash
    }

    private var mayContinue: Bool { runs < budget.runs && !budget.isOver() }

    // MARK: What is tried

    /// Lets the scenario end after a part of its time; later actions go with the rest.
    private mutating func endEarlier() {
        for part in [UInt64(1), 2, 4, 6] {
            guard let line = lines.firstIndex(where: { $0.hasPrefix("until ") }) else { return }
            let until = scenario.until * part / 8
            var shorter = lines
            shorter[line] = "until \((until - until % 1_000).text)"
            if accept(shorter, seeds: 8) { return }
        }
    }

    /// Leaves out actions: all, half of them, a quarter, …, one by one.
    private mutating func dropActions() {
        var length = actions.count
        while length > 0 {
            var start = 0
            while start < actions.count {
                let dropped = Set(actions.dropFirst(start).prefix(length))
                let shorter = lines.indices.filter { !dropped.contains($0) }.map { lines[$0] }
                if !accept(shorter, seeds: length > 1 ? 8 : 4) { start += length }
                guard mayContinue else { return }
            }
            length /= 2
        }
    }

    /// The lines with actions.
    private var actions: [Int] { lines.indices.filter { lines[$0].hasPrefix("at ") } }

    /// Leaves out sections, so that all their settings have their defaults.
    private mutating func dropSections() {
        for section in ScenarioSection.allCases {
            let shorter = lines.filter { !$0.hasPrefix(section.rawValue + " ") }
            if shorter.count < lines.count { _ = accept(shorter, seeds: 4) }
        }
    }

    /// Leaves out requests that clients do besides the workload, and rules.
    private mutating func dropMix() {
        for line in lines where line.hasPrefix("mix ") || line.hasPrefix("rules ") {
            _ = accept(lines.filter { $0 != line }, seeds: 4)
        }
    }

    /// Leaves out settings, so that they have their defaults.
    private mutating func dropSettings() {
        for section in ScenarioSection.allCases {
            var index = words(of: section).count - 1
            while index > 0, mayContinue {
                var words = words(of: section)
                words.remove(at: index)
                _ = accept(replacing(section, by: words), seeds: 4)
                index -= 1
            }
        }
    }

    /// Makes counts smaller by the first of these steps with which the scenario still fails, again and again.
    private mutating func lowerCounts(to steps: [(Int) -> Int]) {
        for section in ScenarioSection.allCases {
            for index in words(of: section).indices {
                while let (name, count) = count(index, of: section), mayContinue,
                    steps.contains(where: { lower(name, count, to: $0(count), index, section) })
                {}
            }
        }
    }

    private mutating func lower(
        _ name: String, _ count: Int, to lower: Int, _ index: Int, _ section: ScenarioSection
    ) -> Bool {
        guard (1..<count).contains(lower) else { return false }
        var words = words(of: section)
        words[index] = "\(name)=\(lower)"
        return accept(replacing(section, by: words), seeds: 4)
    }

    /// The words of a section; none if it has no line.
    private func words(of section: ScenarioSection) -> [String] {
        let line = lines.first { $0.hasPrefix(section.rawValue + " ") }
        return line?.split(separator: " ").map(String.init) ?? []
    }

    private func replacing(_ section: ScenarioSection, by words: [String]) -> [String] {
        lines.compactMap { line in
            guard line.hasPrefix(section.rawValue + " ") else { return line }
            return words.count > 1 ? words.joined(separator: " ") : nil
        }
    }

    /// A setting that is a positive count.
    private func count(_ index: Int, of section: ScenarioSection) -> (name: String, count: Int)? {
        let words = words(of: section)
        guard index < words.count else { return nil }
        let parts = words[index].split(separator: "=")
        guard parts.count == 2, let count = Int(parts[1]), count > 0 else { return nil }
        return (String(parts[0]), count)
    }

    // MARK: Trying

    /// Accepts a shorter scenario if the check fails with one of a few seeds.
    private mutating func accept(_ shorter: [String], seeds: Int) -> Bool {
        guard mayContinue, let (kept, candidate) = read(shorter), kept != lines else {
            return false
        }
        let others = (1...UInt64(seeds)).filter { $0 != seed }
        for seed in [seed] + others.prefix(seeds - 1) where mayContinue {
            runs += 1
            guard shows(run(candidate, seed)) else { continue }
            self.seed = seed
            scenario = candidate
            scenario.seeds = seed...seed
            lines = kept.map { $0.hasPrefix("seeds ") ? "seeds \(seed)..\(seed)" : $0 }
            return true
        }
        return false
    }

    /// Whether a run fails in the way that is to be kept.
    private func shows(_ report: SimulationReport) -> Bool {
        guard let check else {
            return report.failure.map(Shrinking.key) == failure && report.verdict == .invalid
        }
        return report.checks.contains { $0.check == check && $0.verdict == .invalid }
    }

    /// A failure without its numbers.
    private static func key(_ failure: String) -> String { failure.filter { !$0.isNumber } }

    /// The scenario of some lines, without actions of missing nodes and clients, or after the end.
    private func read(_ lines: [String]) -> (lines: [String], scenario: Scenario)? {
        var lines = lines
        while true {
            do throws(ScenarioError) {
                let text = lines.joined(separator: "\n")
                return (lines, try Scenario(parsing: text, like: scenario))
            } catch {
                let index = error.line - 1
                guard lines.indices.contains(index), lines[index].hasPrefix("at ") else {
                    return nil
                }
                lines.remove(at: index)
            }
        }
    }
}

extension Scenario {
    /// Claims one check alone, as a report of it says; of several invariants the one that was violated.
    fileprivate mutating func claim(_ check: Check, of report: SimulationReport) {
        checks = [check]
        guard check == .invariantsHold,
            let index = report.checks.first(where: { $0.check == check })?.invariant
        else { return invariants.removeAll() }
        invariants = [invariants[index]]
    }
}

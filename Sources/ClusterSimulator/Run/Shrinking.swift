/// Makes a scenario that fails shorter, as long as the same check fails with it.
///
/// It works on the text: without a line, without a setting, with a smaller number. A candidate that cannot
/// be parsed, or does not fail, is dropped. A shorter scenario draws other events, so each is tried with a few
/// seeds. Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*.
public struct Shrinking: Sendable {
    /// The shortest scenario so far.
    public private(set) var scenario: Scenario
    /// The seed with which it fails.
    public private(set) var seed: UInt64
    /// The check that fails; nil where the run itself has a failure, and no check fails.
    public let check: Check?
    /// How many runs it took so far.
    public private(set) var runs = 0

    private let limit: Int
    private let run: @Sendable (Scenario, UInt64) -> SimulationReport
    private var lines: [String]

    /// The first check that fails with a seed is the one to keep; nil if none does, and the run has no
    /// failure.
    ///
    /// - Parameters:
    ///   - limit: The most runs to try.
    ///   - run: Runs a scenario with a seed.
    public init?(
        _ scenario: Scenario, seed: UInt64, limit: Int,
        run: @escaping @Sendable (Scenario, UInt64) -> SimulationReport = Simulation.run
    ) {
        let report = run(scenario, seed)
        guard report.verdict == .invalid else { return nil }
        check = report.checks.first { $0.verdict == .invalid }?.check
        self.scenario = scenario.drawn(seed: seed)
        if let check { self.scenario.checks = [check] }
        self.scenario.claim = "Fails as \(scenario.name) does with seed \(seed)."
        self.seed = seed
        self.limit = limit
        self.run = run
        lines = Shrinking.lines(of: self.scenario)
    }

    /// How many words the scenario has.
    public var size: Int {
        lines.reduce(0) { $1.hasPrefix("#") ? $0 : $0 + $1.split(separator: " ").count }
    }

    /// Tries everything once; false if nothing could be left out, or the limit of runs is reached.
    public mutating func step() -> Bool {
        let before = lines
        dropLines()
        dropSettings()
        lowerCounts()
        return lines != before && runs < limit
    }

    private static func lines(of scenario: Scenario) -> [String] {
        scenario.text.split(separator: "\n").map(String.init)
    }

    // MARK: What is tried

    /// Leaves out actions at times that the scenario names: half of them, a quarter, …, one by one.
    private mutating func dropLines() {
        var length = max(1, lines.count / 2)
        while true {
            var start = 0
            while start < lines.count {
                let range = start..<min(lines.count, start + length)
                let isScript = lines[range].allSatisfy { $0.hasPrefix("at ") }
                var shorter = lines
                shorter.removeSubrange(range)
                if !isScript || !take(shorter) { start += length }
            }
            if length == 1 { return }
            length /= 2
        }
    }

    /// Leaves out settings, so that they have their defaults.
    private mutating func dropSettings() {
        for line in lines.indices.reversed() where line < lines.count {
            for word in words(of: line).indices.dropFirst().reversed() {
                var words = words(of: line)
                guard words[word].contains("=") else { break }
                words.remove(at: word)
                var shorter = lines
                if words.count == 1 {
                    shorter.remove(at: line)
                } else {
                    shorter[line] = words.joined(separator: " ")
                }
                _ = take(shorter)
                if line >= lines.count { break }
            }
        }
    }

    /// Makes counts smaller: half, or one less.
    private mutating func lowerCounts() {
        for line in lines.indices {
            for word in words(of: line).indices {
                while let (name, count) = count(in: word, of: line),
                    lower(name, to: count / 2, word, line) || lower(name, to: count - 1, word, line)
                {}
            }
        }
    }

    private mutating func lower(_ name: Substring, to count: Int, _ word: Int, _ line: Int) -> Bool
    {
        var words = words(of: line)
        words[word] = "\(name)=\(count)"
        var shorter = lines
        shorter[line] = words.joined(separator: " ")
        return take(shorter)
    }

    private func words(of line: Int) -> [String] {
        lines[line].split(separator: " ").map(String.init)
    }

    /// A setting that is a positive count.
    private func count(in word: Int, of line: Int) -> (name: Substring, count: Int)? {
        let parts = words(of: line)[word].split(separator: "=")
        guard parts.count == 2, let count = Int(parts[1]), count > 0 else { return nil }
        return (parts[0], count)
    }

    // MARK: Trying

    /// Accepts a shorter scenario if it can be parsed, and the check fails with one of a few seeds.
    private mutating func take(_ shorter: [String]) -> Bool {
        guard runs < limit, let candidate = read(shorter) else { return false }
        for seed in [seed, 1, 2, 3] {
            runs += 1
            let report = run(candidate, seed)
            guard shows(report) else { continue }
            self.seed = seed
            scenario = candidate
            scenario.seeds = seed...seed
            lines = shorter
            return true
        }
        return false
    }

    /// Whether a run fails in the way that is to be kept.
    private func shows(_ report: SimulationReport) -> Bool {
        guard let check else { return report.failure != nil }
        return report.checks.contains { $0.check == check && $0.verdict == .invalid }
    }

    private func read(_ lines: [String]) -> Scenario? {
        do throws(ScenarioError) {
            return try Scenario(parsing: lines.joined(separator: "\n"), name: scenario.name)
        } catch {
            return nil
        }
    }
}

/// Proves that a scenario with one seed gives one run, event by event, or names the first event that differs.
///
/// The hash of a run rolls over all events: once two runs differ, all their further hashes do, so that the first different
/// event is found by bisection.
public enum Replay {
    /// The result of a comparison.
    public enum Outcome: Equatable, Sendable {
        case equal(events: Int, hash: UInt64)
        /// The event with this number is the first that differs; each run's own, nil where the run had ended.
        case differs(event: Int, first: String?, second: String?)
    }

    /// Runs a scenario twice.
    public static func twice(_ scenario: Scenario, seed: UInt64) -> Outcome {
        compare((scenario, seed), (scenario, seed))
    }

    /// Whether another run gives what one has given, as `hearth sim run` looks at one run in twenty.
    public static func repeats(_ report: SimulationReport, _ scenario: Scenario) -> Bool {
        Simulation.run(scenario, seed: report.seed).traceHash == report.traceHash
    }

    /// Compares two runs, which need not be of one seed.
    static func compare(
        _ first: (scenario: Scenario, seed: UInt64), _ second: (scenario: Scenario, seed: UInt64)
    ) -> Outcome {
        let hashes = (
            hashes(of: first.scenario, seed: first.seed),
            hashes(of: second.scenario, seed: second.seed)
        )
        guard let index = firstDifference(hashes.0, hashes.1) else {
            return .equal(events: hashes.0.count, hash: hashes.0.last ?? 0)
        }
        return .differs(
            event: index + 1, first: event(index, of: first.scenario, seed: first.seed),
            second: event(index, of: second.scenario, seed: second.seed))
    }

    /// Runs a scenario, and compares it with the lines of a trace that `hearth sim run --trace` wrote, at whatever time and
    /// by whatever build.
    public static func against(
        _ trace: [String], _ scenario: Scenario, seed: UInt64
    ) -> Outcome {
        let hashes = hashes(of: scenario, seed: seed)
        guard let index = firstDifference(hashes, trace.map(hash)) else {
            return .equal(events: hashes.count, hash: hashes.last ?? 0)
        }
        return .differs(
            event: index + 1, first: event(index, of: scenario, seed: seed),
            second: index < trace.count ? trace[index] : nil)
    }

    // MARK: Parts

    /// The hash after each event.
    private static func hashes(of scenario: Scenario, seed: UInt64) -> [UInt64] {
        if scenario.hasDatabases { return [Simulation.run(scenario, seed: seed).traceHash] }
        var run = SimulatedRun(scenario.drawn(seed: seed), seed: seed)
        var hashes: [UInt64] = []
        run.begin()
        while run.step() != nil { hashes.append(run.trace.bits) }
        return hashes
    }

    /// The index of the first difference; nil if both are equal.
    static func firstDifference(_ first: [UInt64], _ second: [UInt64]) -> Int? {
        let common = min(first.count, second.count)
        let index = (0..<common).firstDifferent { first[$0] != second[$0] }
        return index < common || first.count != second.count ? index : nil
    }

    /// One event as a line of a trace; nil if the run ends before it.
    private static func event(_ index: Int, of scenario: Scenario, seed: UInt64) -> String? {
        if scenario.hasDatabases { return "the whole run" }
        var run = SimulatedRun(scenario.drawn(seed: seed), seed: seed)
        run.record.performed = []
        run.begin()
        for _ in 0..<index where run.step() == nil { return nil }
        return run.step().map { TracedEvent($0, in: run).json }
    }

    /// The hash at the end of a line; zero, which no run has, in a line of another kind.
    private static func hash(_ line: String) -> UInt64 {
        let digits = line.utf8.suffix(18).prefix(16)
        return UInt64(String(Substring(digits)), radix: 16) ?? 0
    }
}

extension Range<Int> {
    /// The first number from which on a condition holds; the end if it holds for none.
    fileprivate func firstDifferent(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

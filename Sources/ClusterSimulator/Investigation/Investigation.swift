/// Says where a failing run went wrong, from further runs with the same seed in which everything is compared after every
/// event.
public enum Investigation {
    /// Lines that say where a failure shows first, which step a correct run would not have taken, and which steps led there.
    ///
    /// - Complexity: some ten times that of the run itself.
    public static func lines(
        of scenario: Scenario, seed: UInt64, report: SimulationReport
    ) -> [String] {
        if scenario.hasDatabases { return DatabasesRun.course(of: scenario, seed: seed) }
        return Diagnosis(of: scenario.drawn(seed: seed), seed: seed, report).lines
    }

    /// A run to its end, the moments at which nodes, operations and listeners parted, and the times at which operations
    /// arrived.
    ///
    /// - Parameters:
    ///   - scenario: A drawn one.
    ///   - report: The outcome of the run.
    static func compared(
        _ scenario: Scenario, seed: UInt64, _ report: SimulationReport
    ) -> (run: SimulatedRun, divergences: [Divergence], arrivals: Arrivals) {
        var run = SimulatedRun(scenario, seed: seed)
        DivergenceWatch.prepare(&run)
        var watch = DivergenceWatch()
        var arrivals = Arrivals(nodes: run.nodes.count)
        run.begin()
        while let event = run.step() {
            watch.observe(event, in: run)
            arrivals.observe(run)
        }
        let words = report.checks.filter { $0.verdict == .invalid }
            .flatMap { $0.details.split { " ,;:".contains($0) } }
        let named = run.clients.indices.filter { words.contains(Substring($0.clientName)) }
        return (run, watch.finish(run, preferring: Set(named)), arrivals)
    }
}

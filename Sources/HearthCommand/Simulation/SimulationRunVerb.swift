internal import ClusterSimulator
internal import CommandLineKit
internal import Foundation

/// `hearth sim run`.
enum SimulationRunVerb {
    private static let files = Argument(
        "FILE", "Scenario files, or folders of them.", arity: .repeated, values: .file)
    private static let seeds = Option(
        "seeds", "A..B", "The seeds to run; without it, those that the scenario names.")
    private static let time = Option(
        "for", "TIME",
        "Run new seeds until a run fails or the time is over, as in 90s, 10min or 8h; "
            + "they begin at random, or at --seed.")
    private static let jobs = Option(
        "jobs", "N", "How many runs go on at a time; without it, one for each processor.")
    private static let everyRun = Option(
        flag: "verbose", letter: "v", "A line for each run, even those that passed.")
    private static let json = Option(flag: "json", "One JSON object a run.")
    private static let junit = Option(
        "junit", "FILE", "Also write the runs to this file, as JUnit's XML.", values: .file)

    private static let trace = Option(
        "trace", "FILE", "Also write every event of the one run to this file, as a line of JSON.",
        values: .file)

    private static let real = Option(
        flag: "real",
        "Also run one seed of each scenario against real nodes of this machine, in real time, and show both "
            + "verdicts; what only a simulator can do is skipped, and named.")
    private static let shrink = Option(
        flag: "shrink", "If a run fails, also print a short scenario with which the same fails.")

    static let verb = Verb(
        "run", "Runs scenarios, seed by seed; the exit code says what failed.",
        arguments: [files],
        options: [SeedOptions.seed, seeds, time, jobs, everyRun, json, junit, trace, real, shrink],
        examples: [
            "hearth sim run Simulations",
            "hearth sim run Simulations/partition-heals.scenario --seed 7",
            "hearth sim run Simulations/swarm.scenario --for 10min --junit swarm.xml",
            "hearth sim run Simulations/swarm.scenario --seed 7 --trace swarm.trace",
            "hearth sim run Simulations/crash-and-restart.scenario --real",
        ], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let files = try ScenarioFiles.read(invocation.words(of: files))
        let range = try invocation.seedRange(seed: SeedOptions.seed, seeds: seeds)
        if invocation.has(real) { return try RealRunOutput.run(files, range, invocation) }
        let jobs = try invocation.integer(jobs, in: 1...1_000)
        let time = try invocation.time(time)
        if let path = invocation[trace] { try write(traceOf: files, range, invocation, to: path) }
        let plan =
            time == nil
            ? SeedPlan(files.map { range ?? $0.scenario.seeds })
            : newSeeds(for: files, from: range)
        let progress =
            time.map { Progress(during: $0, "seeds") } ?? Progress(of: plan.total, "seeds")
        var output = SimulationOutput(
            files, style(of: invocation), of: plan.total, progress)
        StopRequest.watch()
        let threads = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        TrappedRuns.watch(
            threads: threads, output: invocation.has(json) ? STDERR_FILENO : STDOUT_FILENO)
        let runs = SimulationRuns(files, plan, jobs: threads)
        drain(runs, into: &output, for: time)
        if invocation.has(shrink) { output.shrinkWorst() }
        let status = output.finish(isInterrupted: StopRequest.isThere)
        if let path = invocation[junit] { try write(output.junit, to: path) }
        return status
    }

    /// Seeds that no earlier run is likely to have had.
    private static func newSeeds(
        for files: [ScenarioFiles.File], from range: ClosedRange<UInt64>?
    ) -> SeedPlan {
        let first = range?.lowerBound ?? .random(in: 1..<1 << 32)
        Terminal.standardError.print("seeds from \(first) on")
        return SeedPlan(scenarios: files.count, from: first)
    }

    /// Shows reports as they come, until there are no more, or the time is over.
    private static func drain(
        _ runs: SimulationRuns, into output: inout SimulationOutput, for time: Duration?
    ) {
        let start = ContinuousClock.now
        while !runs.isOver, !StopRequest.isThere {
            if let finished = runs.next() { output.show(finished) } else { output.showProgress() }
            guard let time else { continue }
            if output.hasFailed || start.duration(to: .now) >= time { break }
        }
        runs.stop()
    }

    /// Writes the trace of the one run.
    private static func write(
        traceOf files: [ScenarioFiles.File], _ seeds: ClosedRange<UInt64>?,
        _ invocation: Invocation,
        to path: String
    ) throws(CommandError) {
        guard files.count == 1, let seed = seeds?.lowerBound, seeds?.upperBound == seed,
            invocation[time] == nil
        else {
            throw invocation.usageError(
                "--trace \(path): there is more than one run", fix: "name one scenario and --seed N"
            )
        }
        let output = try OutputFile(path)
        _ = try Simulation.run(files[0].scenario, seed: seed) { event throws(CommandError) in
            try output.write(Array((event.json + "\n").utf8))
        }
        try output.finish()
    }

    private static func style(of invocation: Invocation) -> SimulationOutput.Style {
        if invocation.has(json) { return .json }
        return invocation.has(everyRun) ? .everyRun : .text
    }

    private static func write(_ report: JUnitReport, to path: String) throws(CommandError) {
        let file = try OutputFile(path)
        try file.write(Array(report.text.utf8))
        try file.finish()
    }
}

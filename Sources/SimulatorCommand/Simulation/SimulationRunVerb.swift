internal import ClusterSimulator
internal import CommandLineKit
internal import Glibc

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

    private static let html = Option(
        "html", "FOLDER",
        "Also write reports to this folder, one page each: of the first three runs that fail, or of the first run "
            + "if none does.", values: .file)
    private static let real = Option(
        flag: "real",
        "Also run one seed of each scenario against real nodes of this machine, in real time, with a proxy "
            + "between them that fails as the network of the scenario does, and show both verdicts; what only a "
            + "simulator can do is skipped, and named.")
    private static let marks = Option(
        flag: "marks",
        "Also count the rare paths that the runs reach; `hearth sim marks` names them.")
    private static let guided = Option(
        flag: "guided",
        "Choose new seeds of a swarm by the rare paths that earlier ones reached.")
    private static let shrink = Option(
        flag: "shrink", "If a run fails, also print a short scenario with which the same fails.")

    static let verb = Verb(
        "run", "Runs scenarios, seed by seed; the exit code says what failed.",
        arguments: [files],
        options: [
            SeedOptions.seed, seeds, time, SeedOptions.search, jobs, everyRun, json, junit, trace,
            html,
            marks, guided, real, shrink,
        ],
        examples: [
            "hearth sim run Simulations",
            "hearth sim run Simulations/convergence/partition-heals.scenario --seed 7",
            "hearth sim run Simulations/convergence/swarm.scenario --for 10min --junit swarm.xml",
            "hearth sim run Simulations/convergence/swarm.scenario --seed 7 --trace swarm.trace",
            "hearth sim run Simulations/convergence/swarm.scenario --seed 7 --html reports",
            "hearth sim run Simulations/durability/crash-and-restart.scenario --real",
            "hearth sim run Simulations/durability/crash-and-restart.scenario --search priorities",
            "hearth sim run Simulations/convergence/every-order-of-two-nodes.scenario --search exhaustive",
        ], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let all = try invocation.scenarios(of: files)
        if invocation.has(real) {
            try invocation.requireOneDatabase(all, for: "--real")
            let range = try invocation.seedRange(seed: SeedOptions.seed, seeds: seeds)
            return try RealRunOutput.run(all, range, invocation)
        }
        StopRequest.watch()
        var exhaustive = ExhaustiveRuns(asJSON: invocation.has(json))
        for file in all where file.scenario.searchWay == .exhaustive { try exhaustive.run(file) }
        let files = all.filter { $0.scenario.searchWay != .exhaustive }
        if files.isEmpty || StopRequest.isThere {
            return StopRequest.isThere ? .interrupted : exhaustive.status
        }
        let (verdict, status) = try runSeeds(of: files, invocation)
        if status == .interrupted || verdict.severity > exhaustive.verdict.severity {
            return status
        }
        return exhaustive.status == .success ? status : exhaustive.status
    }

    /// Runs the scenarios with seeds; returns the worst that came out.
    private static func runSeeds(
        of files: [ScenarioFiles.File], _ invocation: Invocation
    ) throws(CommandError) -> (RunVerdict, ExitStatus) {
        let range = try invocation.seedRange(seed: SeedOptions.seed, seeds: seeds)
        if invocation.has(marks) { try SimulationMarksVerb.requireMarks(for: marks.name) }
        if invocation.has(guided) { try requireSwarm(files, invocation) }
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
            files, style(of: invocation), of: plan.total, progress,
            marks: invocation.has(marks) ? MarkTally() : nil,
            reports: invocation[html].map { RunReports(folder: $0) })
        let threads = jobs ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        TrappedRuns.watch(
            threads: threads, output: invocation.has(json) ? STDERR_FILENO : STDOUT_FILENO)
        let deadline = time.map { ContinuousClock.now + $0 }
        if invocation.has(guided) {
            let first = range?.lowerBound ?? files[0].scenario.seeds.lowerBound
            runGuided(files, from: first, plan.total, jobs: threads, into: &output, until: deadline)
        } else {
            let runs = SimulationRuns(files, plan, jobs: threads)
            drain(runs, into: &output, until: deadline)
        }
        if invocation.has(shrink) { output.shrinkWorst() }
        try output.writeReports()
        let status = output.finish(isInterrupted: StopRequest.isThere)
        if let path = invocation[junit] { try write(output.junit, to: path) }
        return (output.verdict, status)
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
        _ runs: SimulationRuns, into output: inout SimulationOutput,
        until deadline: ContinuousClock.Instant?,
        _ learn: (SimulationRuns.Finished) -> Void = { _ in }
    ) {
        while !runs.isOver, !StopRequest.isThere {
            if let finished = runs.next() {
                output.show(finished)
                learn(finished)
            } else {
                output.showProgress()
            }
            if isOver(deadline, output) { break }
        }
        runs.stop()
    }

    private static func isOver(
        _ deadline: ContinuousClock.Instant?, _ output: SimulationOutput
    ) -> Bool {
        deadline.map { output.hasFailed || .now >= $0 } ?? false
    }

    // MARK: Seeds that are chosen by marks

    private static func requireSwarm(
        _ files: [ScenarioFiles.File], _ invocation: Invocation
    ) throws(CommandError) {
        try SimulationMarksVerb.requireMarks(for: guided.name)
        guard files.count == 1, files[0].scenario.isSwarm else {
            throw invocation.usageError(
                "--guided: there is not one scenario whose settings are drawn",
                fix:
                    "name one with a line \"swarm\", such as Simulations/convergence/swarm.scenario"
            )
        }
    }

    /// Runs one generation of seeds after the other, each chosen by what those before have reached.
    private static func runGuided(
        _ files: [ScenarioFiles.File], from first: UInt64, _ total: Int?, jobs: Int,
        into output: inout SimulationOutput, until deadline: ContinuousClock.Instant?
    ) {
        var guide = SeedGuide(first: first)
        var left = total ?? .max
        while left > 0, !StopRequest.isThere, !isOver(deadline, output) {
            let seeds = Array(guide.nextGeneration().prefix(left))
            left -= seeds.count
            let runs = SimulationRuns(files, SeedPlan(list: seeds), jobs: jobs)
            drain(runs, into: &output, until: deadline) { finished in
                guide.learn(finished.item.seed, reached: finished.report.marks)
            }
        }
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
        try invocation.requireOneDatabase(files, for: "--trace")
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

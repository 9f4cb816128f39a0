internal import ClusterSimulator
internal import CommandLineKit

/// `hearth sim replay`.
enum SimulationReplayVerb {
    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let trace = Option(
        "checkpoints", "FILE",
        "Compare with this trace, which `hearth sim run --trace` wrote, instead of a second run.",
        values: .file)

    private static let schedule = Option(
        "schedule", "N.N.N",
        "Takes this schedule of a scenario that is searched exhaustively, step by step.")

    static let verb = Verb(
        "replay",
        "Proves that a seed gives the same run again, or names the first event that differs.",
        arguments: [file],
        options: [SeedOptions.requiredSeed, SeedOptions.search, schedule, trace],
        examples: [
            "hearth sim replay Simulations/convergence/swarm.scenario --seed 7",
            "hearth sim replay Simulations/convergence/swarm.scenario --seed 7 --checkpoints monday.trace",
            "hearth sim replay Simulations/convergence/every-order-of-two-nodes.scenario --schedule 0.0.1",
        ], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let seed = try invocation.seed()
        var status = ExitStatus.success
        let files = try invocation.scenarios(of: file)
        if let text = invocation[schedule] { return try follow(text, of: files, invocation) }
        for file in files {
            let outcome =
                if let path = invocation[trace] {
                    Replay.against(try lines(of: path), file.scenario, seed: seed)
                } else {
                    Replay.twice(file.scenario, seed: seed)
                }
            if !show(outcome, of: file, seed: seed) { status = .runsDiffered }
        }
        return status
    }

    /// Takes the steps of a schedule, each with a line.
    private static func follow(
        _ text: String, of files: [ScenarioFiles.File], _ invocation: Invocation
    ) throws(CommandError) -> ExitStatus {
        let positions = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard files.count == 1, !positions.contains(nil) else {
            throw invocation.usageError(
                "--schedule \(text): not the schedule of one scenario",
                fix: "name one scenario, and numbers as in 0.2.1")
        }
        let search = try files[0].exhaustiveSearch()
        let course: ExhaustiveSearch.Course
        do throws(SearchError) {
            course = try search.course(of: positions.compactMap(\.self))
        } catch {
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
        for (index, step) in course.steps.enumerated() {
            StandardOutput.shared.print("\(index + 1)  \(step)")
        }
        guard let failure = course.failure else {
            StandardOutput.shared.print("holds  \(files[0].scenario.name)")
            return .success
        }
        for line in ExhaustiveText.problems(of: failure) { StandardOutput.shared.print(line) }
        return RunVerdict.failed(failure.kind).status
    }

    private static func lines(of path: String) throws(CommandError) -> [String] {
        let text = String(decoding: try InputFile(path).readAll(), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first?.hasPrefix("{\"event\":1,") == true else {
            throw CommandError(
                .badData, "\(path) is not the trace of a run",
                fix: "write one with `hearth sim run FILE --seed N --trace \(path.quotedForShell)`")
        }
        return lines
    }

    /// Prints an outcome; true if both runs are equal.
    private static func show(
        _ outcome: Replay.Outcome, of file: ScenarioFiles.File, seed: UInt64
    ) -> Bool {
        let name = "\(file.scenario.name) seed \(seed)"
        switch outcome {
        case .equal(let events, let hash):
            StandardOutput.shared.print("equal  \(name)  \(hash.hexadecimal)  \(events) events")
            return true
        case .differs(let event, let first, let second):
            StandardOutput.shared.print("differs  \(name)  first at event \(event)")
            StandardOutput.shared.print("    one run:   \(first ?? "has ended")")
            StandardOutput.shared.print("    the other: \(second ?? "has ended")")
            return false
        }
    }
}

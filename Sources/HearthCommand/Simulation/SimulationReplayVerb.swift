internal import ClusterSimulator
internal import CommandLineKit

/// `hearth sim replay`.
enum SimulationReplayVerb {
    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let trace = Option(
        "checkpoints", "FILE",
        "Compare with this trace, which `hearth sim run --trace` wrote, instead of a second run.",
        values: .file)

    static let verb = Verb(
        "replay",
        "Proves that a seed gives the same run again, or names the first event that differs.",
        arguments: [file], options: [SeedOptions.requiredSeed, trace],
        examples: [
            "hearth sim replay Simulations/swarm.scenario --seed 7",
            "hearth sim replay Simulations/swarm.scenario --seed 7 --checkpoints monday.trace",
        ], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let seed = try invocation.seed()
        var status = ExitStatus.success
        for file in try ScenarioFiles.read(invocation.words(of: file)) {
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

internal import ClusterSimulator
internal import CommandLineKit
internal import Foundation

extension Verb {
    static let simulation = Verb(
        "sim", "Simulates clusters under faults, from a seed, and checks their guarantees.",
        verbs: [
            simulationRun, simulationShow, simulationShrink, simulationList,
        ],
        examples: [
            "hearth sim run Simulations --seeds 1..100",
            "hearth sim run Simulations/partition-heals.scenario --seed 7",
            "hearth sim shrink Simulations/swarm.scenario --seed 7",
        ])

    private static let files = Argument(
        "FILE", "Scenario files, or folders of them.", arity: .repeated, values: .file)
    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let seed = Option("seed", "N", "The one seed to run.")
    private static let requiredSeed = Option("seed", "N", "The seed; without it, 1.")
    private static let seeds = Option(
        "seeds", "A..B", "The seeds to run; without it, those that the scenario names.")
    private static let json = Option(flag: "json", "One JSON object a run.")
    private static let jobs = Option(
        "jobs", "N", "How many runs go on at a time; without it, one for each processor.")
    private static let runLimit = Option(
        "runs", "N", "How many runs to try at most; without it, 3000.")

    private static let simulationRun = Verb(
        "run", "Runs scenarios, seed by seed; exits with 1 if a check fails.",
        arguments: [files], options: [seed, seeds, jobs, json],
        examples: [
            "hearth sim run Simulations --seeds 1..100",
            "hearth sim run Simulations/partition-heals.scenario --seed 7 --json",
        ]
    ) { (invocation) throws(CommandError) in
        let files = try ScenarioFiles.read(invocation.words(of: files))
        let range = try invocation.seedRange(seed: seed, seeds: seeds)
        let jobs = try invocation.integer(jobs, in: 1...1_000)
        var output = SimulationOutput(isJSON: invocation.has(json))
        let runs = SimulationRuns(
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        for file in files {
            runs.forEach(file, seeds: range ?? file.scenario.seeds) { output.show($0, of: file) }
        }
        return output.finish()
    }

    private static let simulationShow = Verb(
        "show", "Prints a scenario with all that a seed draws written out, without any chance.",
        arguments: [file], options: [requiredSeed],
        examples: ["hearth sim show Simulations/swarm.scenario --seed 7 > found.scenario"]
    ) { (invocation) throws(CommandError) in
        let seed = try invocation.seedRange(seed: requiredSeed, seeds: seeds)?.lowerBound ?? 1
        for file in try ScenarioFiles.read(invocation.words(of: file)) {
            StandardOutput.shared.write(Array(file.scenario.drawn(seed: seed).text.utf8))
        }
        return .success
    }

    private static let simulationShrink = Verb(
        "shrink",
        "Finds a short scenario with which the same check fails as with a seed of this one.",
        arguments: [file], options: [requiredSeed, runLimit],
        examples: [
            "hearth sim shrink Simulations/swarm.scenario --seed 7 > found.scenario"
        ]
    ) { (invocation) throws(CommandError) in
        let limit = try invocation.integer(runLimit, in: 1...1_000_000) ?? 3_000
        let seed = try invocation.seedRange(seed: requiredSeed, seeds: seeds)?.lowerBound ?? 1
        for file in try ScenarioFiles.read(invocation.words(of: file)) {
            let shrinking = Shrinking(file.scenario, seed: seed, limit: limit)
            guard var shrinking else {
                throw CommandError(
                    .badData, "\(file.path) holds with seed \(seed)",
                    fix: "name a seed that `hearth sim run` calls invalid")
            }
            ShrinkingOutput.run(&shrinking)
        }
        return .success
    }

    private static let simulationList = Verb(
        "list", "Names scenarios and what each claims.", arguments: [files],
        examples: ["hearth sim list Simulations"]
    ) { (invocation) throws(CommandError) in
        for file in try ScenarioFiles.read(invocation.words(of: files)) {
            StandardOutput.shared.print(file.path)
            StandardOutput.shared.print("    " + file.scenario.claim)
        }
        return .success
    }
}

extension Invocation {
    /// The seeds that the options name, or nil.
    fileprivate func seedRange(
        seed: Option, seeds: Option
    ) throws(CommandError) -> ClosedRange<UInt64>? {
        if let text = self[seed] {
            guard let number = UInt64(text) else {
                throw usageError("--seed \(text): not a seed", fix: "give a number, such as 7")
            }
            return number...number
        }
        guard let text = self[seeds] else { return nil }
        let ends = text.components(separatedBy: "..").map { UInt64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else {
            throw usageError(
                "--seeds \(text): not a range of seeds", fix: "give two numbers, such as 1..100")
        }
        return first...last
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        guard let range = firstRange(of: separator) else { return [self[...]] }
        return [self[..<range.lowerBound], self[range.upperBound...]]
    }
}

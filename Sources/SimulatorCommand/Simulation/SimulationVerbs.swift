internal import ClusterSimulator
internal import CommandLineKit

extension Verb {
    static let simulation = Verb(
        "sim", "Simulates clusters under faults, from a seed, and checks their guarantees.",
        verbs: [
            SimulationRunVerb.verb, SimulationReplayVerb.verb, SimulationWhyVerb.verb,
            SimulationMarksVerb.verb,
            simulationShow, simulationShrink, SimulationListVerb.verb, SimulationNewVerb.verb,
            SimulationChecksVerb.verb, SimulationSelftestVerb.verb,
        ],
        examples: [
            "hearth sim run Simulations",
            "hearth sim run Simulations/convergence/swarm.scenario --for 8h",
            "hearth sim run Simulations/convergence/partition-heals.scenario --seed 7 --trace run.trace",
            "hearth sim why Simulations/convergence/partition-heals.scenario --seed 7 /rooms/a @n2 at 3s",
            "hearth sim shrink Simulations/convergence/swarm.scenario --seed 7 > found.scenario",
        ])

    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let runLimit = Option(
        "runs", "N", "How many runs to try at most; without it, as many as the time allows.")
    private static let time = Option(
        "for", "TIME", "How long to try, as in 30s or 10min; without it, one minute.")

    private static let simulationShow = Verb(
        "show", "Prints a scenario with all that a seed draws written out, without any chance.",
        arguments: [file], options: [SeedOptions.requiredSeed],
        examples: [
            "hearth sim show Simulations/convergence/swarm.scenario --seed 7 > found.scenario"
        ]
    ) { (invocation) throws(CommandError) in
        let seed = try invocation.seed()
        for file in try ScenarioFiles.read(invocation.words(of: file)) {
            StandardOutput.shared.write(Array(file.scenario.drawn(seed: seed).text.utf8))
        }
        return .success
    }

    private static let simulationShrink = Verb(
        "shrink",
        "Finds a short scenario with which the same check fails as with a seed of this one.",
        arguments: [file], options: [SeedOptions.requiredSeed, time, runLimit],
        examples: [
            "hearth sim shrink Simulations/convergence/swarm.scenario --seed 7 > found.scenario"
        ]
    ) { (invocation) throws(CommandError) in
        let runs = try invocation.integer(runLimit, in: 1...1_000_000) ?? .max
        let time = try invocation.time(time) ?? ShrinkingOutput.time
        let seed = try invocation.seed()
        StopRequest.watch()
        var status = ExitStatus.success
        let files = try ScenarioFiles.read(invocation.words(of: file))
        try invocation.requireOneDatabase(files, for: "shrink")
        for file in files {
            let output = ShrinkingOutput(file.scenario, seed: seed, for: time, runs: runs)
            guard var output else {
                throw CommandError(
                    .badData, "\(file.path) holds with seed \(seed)",
                    fix: "name a seed with which `hearth sim run` fails")
            }
            if !output.run() { status = .runsDiffered }
        }
        return StopRequest.isThere ? .interrupted : status
    }
}

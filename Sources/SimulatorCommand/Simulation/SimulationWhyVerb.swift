internal import ClusterSimulator
internal import CommandLineKit
internal import DataTree

/// `hearth sim why`.
enum SimulationWhyVerb {
    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let path = Argument("PATH", "The place to explain.")
    private static let rest = Argument(
        "WHERE",
        "One node, as in @n2, and a time of the run, as in `at 3s`; without them, every "
            + "node at the end.", arity: .any)

    static let verb = Verb(
        "why",
        "Says why a place shows what it shows: what won and lost there, and what is stable.",
        arguments: [file, path, rest], options: [SeedOptions.requiredSeed],
        examples: [
            "hearth sim why Simulations/convergence/swarm.scenario --seed 7 /data/a",
            "hearth sim why Simulations/convergence/swarm.scenario --seed 7 /data/a @n2 at 3s",
        ], work: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let seed = try invocation.seed()
        let files = try ScenarioFiles.read(invocation.words(of: file))
        try invocation.requireOneDatabase(files, for: "why")
        for file in files {
            let nodes = Explanation.nodeCount(of: file.scenario, seed: seed)
            let question = try question(invocation, nodes: nodes)
            let explanation = Explanation(of: question, in: file.scenario, seed: seed)
            for line in explanation.lines { StandardOutput.shared.print(line) }
        }
        return .success
    }

    private static func question(
        _ invocation: Invocation, nodes: Int
    ) throws(CommandError) -> Explanation.Question {
        var node: Int?
        var seconds: Double?
        var words = invocation.words(of: rest)[...]
        while let word = words.popFirst() {
            if word == "at", let time = words.popFirst() {
                seconds = try invocation.duration(of: time, named: "at") / .seconds(1)
            } else if word.hasPrefix("@n"), let number = Int(word.dropFirst(2)),
                (1...nodes).contains(number)
            {
                node = number - 1
            } else {
                throw invocation.usageError(
                    "\(word): neither a node nor a time",
                    fix: "name a node from @n1 to @n\(nodes), or a time, as in `at 3s`")
            }
        }
        return .init(path: try place(invocation), node: node, seconds: seconds)
    }

    private static func place(_ invocation: Invocation) throws(CommandError) -> Path {
        do throws(DataError) {
            return try Path(invocation[path])
        } catch {
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
    }
}

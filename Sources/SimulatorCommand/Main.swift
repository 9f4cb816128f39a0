internal import ClusterAdministration
internal import CommandLineKit

/// `hearth-sim`, which `hearth` starts with its own command line for the verbs that need the simulator.
@main
enum Main {
    static func main() { VerbProgram(root: .simulator, version: hearthVersion).run() }
}

extension Verb {
    /// The verbs of the program, by the names that they have in `hearth`.
    static let simulator: Verb = Verb(
        "hearth", "Simulates clusters of Hearth, and puts real ones under faults.",
        verbs: [
            .simulation, Soak.verb, simulatorBench,
            Completion.verb { Completion(for: .simulator, source: .none) },
        ],
        examples: ["hearth sim run Simulations", "hearth soak --checks"])

    private static let simulatorBench = Verb(
        "bench", "Measures the simulator.", verbs: [.benchSimulation],
        examples: ["hearth bench sim"])
}

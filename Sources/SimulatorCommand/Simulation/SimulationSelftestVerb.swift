internal import CommandLineKit
internal import Glibc

/// `hearth sim selftest`.
enum SimulationSelftestVerb {
    private static let file = Argument("FILE", "A scenario file.", values: .file)
    private static let seeds = Option("seeds", "N", "How many seeds to try for each bug; 20.")
    private static let script = "scripts/seeded-bugs"

    static let verb = Verb(
        "selftest",
        "Tells which mistakes in Hearth a scenario would find: plants each seeded bug, and runs it.",
        arguments: [file], options: [seeds],
        examples: ["hearth sim selftest Simulations/convergence/partition-heals.scenario --seeds 5"]
    ) { (invocation) throws(CommandError) in
        let count = try invocation.integer(seeds, in: 1...100_000) ?? 20
        let path = invocation.words(of: file)[0]
        // Unreadable files are reported at once, and not after a build of some minutes.
        _ = try ScenarioFiles.read([path])
        guard access(script, X_OK) == 0 else {
            throw CommandError(
                .noInput, "there is no \(script) here: bugs are planted in Hearth's sources",
                fix: "run it in the folder of a clone of Hearth, with `scripts/hearth`")
        }
        StandardOutput.shared.flush()
        let words = [script, "--scenario", path, "--seeds", "\(count)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        execv(script, &arguments)
        throw CommandError(
            .unavailable, "cannot start \(script): \(systemErrorText)",
            fix: "install python3, or start \(script) by hand")
    }
}

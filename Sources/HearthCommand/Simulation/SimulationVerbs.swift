internal import ClusterSimulator
internal import JSONText

extension Verb {
    static let simulation = Verb(
        "sim", "Simulates clusters under faults, from a seed, and checks what must hold.",
        verbs: [simulationRun, simulationList],
        examples: [
            "hearth sim run Simulations --seeds 1..100",
            "hearth sim run Simulations/partition-heals.scenario --seed 7",
        ])

    private static let files = Argument(
        "FILE", "Scenario files, or folders of them.", arity: .repeated, values: .file)
    private static let seed = Option("seed", "N", "The one seed to run.")
    private static let seeds = Option(
        "seeds", "A..B", "The seeds to run; without it, those that the scenario names.")
    private static let defect = Option(
        "defect", "NAME", "A mistake to plant, which the checks have to find.",
        values: .oneOf(PlantedDefect.names))
    private static let json = Option(flag: "json", "One JSON object a run.")

    private static let simulationRun = Verb(
        "run", "Runs scenarios, seed by seed; exits with 1 if something does not hold.",
        arguments: [files], options: [seed, seeds, defect, json],
        examples: [
            "hearth sim run Simulations --seeds 1..100",
            "hearth sim run Simulations/partition-heals.scenario --seed 7 --json",
            "hearth sim run Simulations/crash-and-restart.scenario --defect no-tombstone",
        ]
    ) { (invocation) throws(CommandError) in
        let files = try ScenarioFiles.read(invocation.words(of: files))
        let range = try invocation.seedRange(seed: seed, seeds: seeds)
        var report = SimulationOutput(
            isJSON: invocation.has(json), defect: invocation[defect])
        for file in files {
            for seed in range ?? file.scenario.seeds {
                let defect = invocation[defect].flatMap { PlantedDefect(name: $0) }
                report.show(Simulation.run(file.scenario, seed: seed, defect: defect), of: file)
            }
        }
        return report.finish()
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

/// Prints one line a run, and in the end the command that repeats the first failure.
private struct SimulationOutput {
    let isJSON: Bool
    let defect: String?
    private var runs = 0
    private var failures = 0
    private var firstFailure: String?
    private let start = ContinuousClock.now

    init(isJSON: Bool, defect: String?) {
        self.isJSON = isJSON
        self.defect = defect
    }

    mutating func show(_ report: SimulationReport, of file: ScenarioFiles.File) {
        runs += 1
        if isJSON {
            StandardOutput.shared.print(SimulationOutput.json(report))
        } else {
            showLine(report)
        }
        if report.verdict != .valid {
            failures += 1
            let planted = defect.map { " --defect \($0)" } ?? ""
            firstFailure =
                firstFailure ?? "hearth sim run \(file.path) --seed \(report.seed)\(planted)"
        }
        StandardOutput.shared.flush()
    }

    func finish() -> ExitStatus {
        if !isJSON {
            let seconds = start.duration(to: .now) / .seconds(1)
            StandardOutput.shared.print(
                "\(runs) runs, \(failures) failed, in \(tenths(seconds)) s")
        }
        guard let firstFailure else { return .success }
        StandardOutput.shared.print(isJSON ? "{\"reproduce\":\"\(firstFailure)\"}" : firstFailure)
        return .checkFailed
    }

    private func showLine(_ report: SimulationReport) {
        let terminal = Terminal.standardOutput
        let counts = report.statistics
        let verdict = terminal.coloured(
            report.verdict.rawValue, report.verdict == .valid ? .green : .red)
        StandardOutput.shared.print(
            "\(verdict)  \(report.scenario) seed \(report.seed)  \(report.traceHashText)  "
                + "\(counts.acknowledged)/\(counts.operations) acknowledged, "
                + "\(report.events) events, \(tenths(report.simulatedSeconds)) s simulated")
        for result in report.checks where result.verdict != .valid {
            StandardOutput.shared.print(
                "    \(result.check.rawValue) is \(result.verdict.rawValue): \(result.details)")
        }
    }

    private static func json(_ report: SimulationReport) -> String {
        let checks = report.checks.map { result in
            "{\"check\":\"\(result.check.rawValue)\",\"verdict\":\"\(result.verdict.rawValue)\","
                + "\"details\":\(JSONWriter.text(of: .string(result.details)))}"
        }
        return "{\"scenario\":\(JSONWriter.text(of: .string(report.scenario))),"
            + "\"seed\":\(report.seed),\"verdict\":\"\(report.verdict.rawValue)\","
            + "\"traceHash\":\"\(report.traceHashText)\",\"events\":\(report.events),"
            + "\"simulatedSeconds\":\(report.simulatedSeconds),"
            + "\"operations\":\(report.statistics.operations),"
            + "\"acknowledged\":\(report.statistics.acknowledged),"
            + "\"checks\":[\(checks.joined(separator: ","))]}"
    }

    private func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

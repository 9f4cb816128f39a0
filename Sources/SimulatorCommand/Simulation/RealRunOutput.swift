internal import ClusterSimulator
internal import CommandLineKit
internal import LoadTools

/// Scenarios in the simulator and against real nodes, with both verdicts side by side.
enum RealRunOutput {
    /// Runs one seed of each scenario both ways.
    static func run(
        _ files: [ScenarioFiles.File], _ seeds: ClosedRange<UInt64>?, _ invocation: Invocation
    ) throws(CommandError) -> ExitStatus {
        var status = ExitStatus.success
        for file in files {
            let seed = seeds?.lowerBound ?? file.scenario.seeds.lowerBound
            let simulated = Simulation.run(file.scenario, seed: seed)
            let plan = RealPlan(file.scenario, seed: seed)
            let real = try RealRun.run(plan, seed: seed)
            for line in lines(simulated, real, plan.skipped) { StandardOutput.shared.print(line) }
            StandardOutput.shared.flush()
            if simulated.verdict == .invalid || real.contains(where: { $0.verdict == .invalid }) {
                status = .checkFailed
            }
        }
        return status
    }

    /// A line for each check, what is wrong below it, and what real nodes were spared.
    static func lines(
        _ simulated: SimulationReport, _ real: [CheckResult], _ skipped: [String]
    ) -> [String] {
        let width = simulated.checks.map(\.check.name.count).max() ?? 0
        var lines = ["\(simulated.scenario) seed \(simulated.seed): simulated, and by real nodes"]
        for result in simulated.checks {
            let other = real.first { $0.check == result.check }
            let name = result.check.name
            let gap = String(repeating: " ", count: width - name.count)
            let verdict = other?.verdict.rawValue ?? "not judged"
            lines.append("    \(name)\(gap)  \(result.verdict.rawValue), \(verdict)")
            lines += problems(of: result, "simulated") + problems(of: other, "real")
        }
        if let failure = simulated.failure { lines.append("    the simulated run: \(failure)") }
        if skipped.isEmpty { return lines }
        return lines + ["    only simulated: \(skipped.joined(separator: ", "))"]
    }

    private static func problems(of result: CheckResult?, _ run: String) -> [String] {
        guard let result, result.verdict != .valid else { return [] }
        return ["        \(run): \(result.details)"] + result.witness.map { "            " + $0 }
    }
}

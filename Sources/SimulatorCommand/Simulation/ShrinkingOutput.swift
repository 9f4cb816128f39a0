internal import ClusterSimulator
internal import CommandLineKit

/// Shrinks a scenario for a time, reports the progress, and prints the result.
struct ShrinkingOutput {
    /// How long a scenario is shrunk.
    static let time = Duration.seconds(60)

    private var shrinking: Shrinking
    private let start: ContinuousClock.Instant

    /// Nil if the scenario holds with the seed.
    init?(_ scenario: Scenario, seed: UInt64, for time: Duration, runs: Int) {
        let start = ContinuousClock.now
        let budget = Shrinking.Budget(runs: runs) {
            StopRequest.isThere || start.duration(to: .now) >= time
        }
        guard let shrinking = Shrinking(scenario, seed: seed, budget) else { return nil }
        self.shrinking = shrinking
        self.start = start
    }

    /// Shrinks the scenario, and prints it; false if it does not fail in the same way twice.
    mutating func run() -> Bool {
        let before = shrinking.size
        let failed = shrinking.check?.name ?? "the run itself"
        report("\(failed) fails; removing what the failure does not need")
        while shrinking.step() {
            report("\(shrinking.size) of \(before) words left after \(shrinking.runs) runs")
        }
        let isConfirmed = shrinking.isConfirmed
        report(
            "\(shrinking.lineCount) lines, \(shrinking.size) of \(before) words, found with "
                + "\(shrinking.runs) runs in \(tenths(start.duration(to: .now) / .seconds(1))) s, "
                + (isConfirmed ? "checked twice" : "which does not fail again"))
        StandardOutput.shared.write(Array(shrinking.scenario.text.utf8))
        return isConfirmed
    }

    private func report(_ line: String) { Terminal.standardError.print(line) }
}

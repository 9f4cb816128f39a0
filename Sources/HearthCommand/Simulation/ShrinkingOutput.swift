internal import ClusterSimulator
internal import CommandLineKit

/// Reports the progress of shrinking a scenario, and then prints the result.
enum ShrinkingOutput {
    static func run(_ shrinking: inout Shrinking) {
        let before = shrinking.size
        let failed = shrinking.check?.rawValue ?? "the run itself"
        tell("\(failed) fails; removing what the failure does not need")
        while shrinking.step() {
            tell("\(shrinking.size) of \(before) words left after \(shrinking.runs) runs")
        }
        tell("\(shrinking.size) of \(before) words, found with \(shrinking.runs) runs")
        StandardOutput.shared.write(Array(shrinking.scenario.text.utf8))
    }

    private static func tell(_ line: String) { Terminal.standardError.print(line) }
}

internal import Glibc

/// Tells the demo's story: numbered steps, and what happened in each.
final class Story: Sendable {
    private let start = ContinuousClock.now
    private let terminal = Terminal.standardOutput

    /// Begins a step.
    func tell(_ sentence: String) {
        terminal.print("\n" + terminal.coloured("▸ ", .cyan) + sentence)
    }

    /// Shows a fact.
    func show(_ fact: String) {
        terminal.print("    " + fact)
    }

    /// Shows whether something holds.
    func check(_ claim: String, _ holds: Bool) {
        let mark = holds ? terminal.coloured("✓", .green) : terminal.coloured("✗", .red)
        terminal.print("    \(mark) \(claim)")
    }

    func end(isRight: Bool, pushes: Int) {
        let seconds = start.duration(to: .now).components.seconds
        terminal.print(
            isRight
                ? """

                \(pushes) concurrent pushes through three nodes, one of them killed: nothing lost, nothing
                doubled, the same order everywhere, in \(seconds) s. Everything was stopped and removed.

                Next: `hearth cluster up`, then `hearth push`, `hearth get` and `hearth watch`.
                """
                : "\nSomething that must hold does not, see above. Please report it.")
    }
}

/// Lets other processes work for a while.
func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

internal import CommandLineKit
internal import Glibc
internal import Threads

/// Prints the demo: numbered steps, and the facts of each; for any thread.
final class Story: Sendable {
    private struct State: Sendable {
        var step = 0
        /// Whether the last line is one that will be written over.
        var showsProgress = false
    }

    private let start = ContinuousClock.now
    private let terminal = Terminal.standardOutput
    private let state = Monitor(State())

    /// Begins a step.
    func begin(_ sentences: String...) {
        state.withLock { state in
            state.step += 1
            let number = terminal.coloured("\(state.step).", .cyan)
            print("\n\(number) " + sentences.joined(separator: "\n   "), &state)
        }
    }

    /// Shows a fact.
    func show(_ fact: String) {
        state.withLock { print("     " + fact, &$0) }
    }

    /// Shows progress on a terminal, until the next line is written over it.
    func showProgress(_ text: String) {
        guard terminal.isInteractive else { return }
        state.withLock { state in
            terminal.write("\r     " + terminal.coloured(text, .grey) + Story.clearsToEnd)
            state.showsProgress = true
        }
    }

    /// Removes the line of progress.
    func leaveProgress() {
        state.withLock { clearProgress(&$0) }
    }

    /// Shows whether something holds.
    func check(_ claim: String, _ holds: Bool) {
        show((holds ? terminal.coloured("✓", .green) : terminal.coloured("✗", .red)) + " " + claim)
    }

    /// Pauses, for the reader.
    func pause() throws(CommandError) {
        LoadTools.pause(milliseconds: 1000)
        try StopRequest.check()
    }

    func end(isRight: Bool, pushes: Int) {
        state.withLock { print(isRight ? success(pushes) : Story.failure, &$0) }
    }

    private func success(_ pushes: Int) -> String {
        let seconds = start.duration(to: .now).components.seconds
        // As it was typed: the build's script, or the program itself.
        let hearth = CommandLine.arguments.first ?? "hearth"
        return """

            \(grouped(pushes)) pushes through three nodes, one of them killed: nothing lost, nothing doubled,
            the same order everywhere. It took \(seconds) s; the nodes stop, and their files are deleted.

            Next, start a cluster that stays, listen at one node, and push to another.

                \(hearth) cluster up --detach
                \(hearth) watch /rooms/lobby --node n3        # in another terminal
                \(hearth) push /rooms/lobby '{"from":"me","text":"hello"}' --node n1
                \(hearth) cluster status
                \(hearth) cluster down
            """
    }

    private static let failure =
        "\nSomething that must hold does not, see ✗ above. Please report it."
    private static let clearsToEnd = "\u{1B}[K"

    private func print(_ text: String, _ state: inout State) {
        clearProgress(&state)
        terminal.print(text)
    }

    private func clearProgress(_ state: inout State) {
        if state.showsProgress { terminal.write("\r" + Story.clearsToEnd) }
        state.showsProgress = false
    }
}

/// Lets other processes work for a while.
package func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// A count with commas between the thousands: `60,000`.
func grouped(_ count: Int) -> String {
    count < 1000
        ? String(count) : grouped(count / 1000) + "," + String(1000 + count % 1000).dropFirst()
}

internal import ClusterAdministration
internal import CommandLineKit
internal import LineEditor

/// Lines that a user types.
struct ShellTerminal {
    private let commands: ShellCommands
    private let prompt: String

    init(_ commands: ShellCommands, _ invocation: Invocation) {
        self.commands = commands
        prompt =
            (["hearth"] + invocation.values(of: NodeOptions.node)).joined(separator: " ") + "> "
    }

    func run() throws(CommandError) -> ExitStatus {
        let completion = ShellCompletion(of: commands)
        guard
            let editor = LineEditor(
                isInterrupted: { StopRequest.isThere }, complete: completion.complete)
        else {
            throw CommandError(
                .unavailable, "the terminal cannot be used to edit lines",
                fix: "set TERM to the kind of the terminal, or pipe commands in")
        }
        let history = environment("HOME").map { $0 + "/.hearth_history" }
        if let history { editor.loadHistory(from: history) }
        defer { if let history { editor.saveHistory(to: history) } }
        Terminal.standardOutput.print("Tab completes, `help` lists the verbs, Ctrl-D leaves.")
        while !StopRequest.isFinal {
            StopRequest.reset()
            switch editor.read(prompt: prompt) {
            case .end:
                Terminal.standardOutput.print("")
                return .success
            case .interrupted: Terminal.standardOutput.print("^C")
            case .line(let line):
                if line.contains(where: { $0 != " " }) { editor.remember(line) }
                if case .left = commands.run(line) { return .success }
            }
        }
        return .interrupted
    }
}

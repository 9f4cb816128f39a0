internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc

extension Verb {
    static let shell = Verb(
        "shell",
        "Reads commands line by line, without the word hearth, with a history and completion "
            + "(Tab). Ctrl-C interrupts a command, Ctrl-D leaves. Commands from a pipe run in "
            + "order; the exit code is that of the last failed one.",
        options: NodeClient.options,
        examples: [
            "hearth shell --node n2",
            "hearth shell --node http://127.0.0.1:7001 < commands.txt",
        ]
    ) { (invocation) throws(CommandError) in
        // An error in the nodes shows at once, not with the first command.
        _ = try NodeOptions.addresses(of: invocation)
        StopRequest.watch()
        SharedLinks.keep()
        let commands = ShellCommands(with: invocation)
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        return isTerminal
            ? try ShellTerminal(commands, invocation).run() : try ShellScript(commands).run()
    }
}

/// Lines from a pipe or a file.
struct ShellScript {
    private let commands: ShellCommands

    init(_ commands: ShellCommands) { self.commands = commands }

    /// Runs each line; an error does not keep the others from running.
    ///
    /// - Returns: how the last command ended that failed; success if none did.
    func run() throws(CommandError) -> ExitStatus {
        var status = ExitStatus.success
        try InputFile.standardInput.forEachLine(waiting: ShellScript.checkInterruption) {
            number, bytes throws(CommandError) in
            guard let line = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(
                    .badData, "standard input, line \(number) is not UTF-8",
                    fix: "write commands in UTF-8; the commands before it were executed")
            }
            switch commands.run(line) {
            case .ended(.success): break
            case .ended(.interrupted):
                status = .interrupted
                return false
            case .ended(let failure): status = failure
            case .left: return false
            }
            return true
        }
        return status
    }

    private static func checkInterruption() throws(CommandError) {
        guard StopRequest.isThere else { return }
        throw CommandError(
            .interrupted, "interrupted", fix: "run the remaining commands again")
    }
}

internal import CRuntime
internal import Glibc

/// A program whose command line names a verb.
package struct VerbProgram {
    private let root: Verb
    private let version: String

    package init(root: Verb, version: String) {
        self.root = root
        self.version = version
    }

    /// Does the work of the verb on the command line, and ends the process with its exit status.
    package func run() -> Never {
        hearth_reserve_standard_descriptors()
        signal(SIGPIPE, SIG_IGN)
        VerbProgram.unblockSignals()
        hearth_report_crashes()
        let status = status()
        StandardOutput.shared.flush()
        exit(status.rawValue)
    }

    /// Unblocks signals: the process inherits those that its parent has blocked.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private func status() -> ExitStatus {
        do throws(CommandError) {
            return try execute(try CommandParser(root: root).parse(CommandLineWords.read()))
        } catch {
            StandardOutput.shared.flush()
            Terminal.standardError.report(error)
            return error.status
        }
    }

    private func execute(_ command: ParsedCommand) throws(CommandError) -> ExitStatus {
        switch command {
        case .run(let invocation): return try invocation.run()
        case .start(let program): try program.replaceThisProcess()
        case .help(let help): StandardOutput.shared.print(help)
        case .version: StandardOutput.shared.print("\(root.name) \(version)")
        case .completionScript(let shell):
            StandardOutput.shared.print(CompletionScript(for: root.name, in: shell).text)
        }
        return .success
    }
}

internal import CRuntime
internal import CommandLineKit
internal import Glibc

/// Turns the words of the command line into one verb's work and its outcome into an exit status.
///
/// A type, not top-level code: that would be confined to the main actor, and closures on other threads
/// would trap.
@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        unblockSignals()
        hearth_report_crashes()
        let status = run()
        StandardOutput.shared.flush()
        exit(status.rawValue)
    }

    /// Unblocks signals: the process inherits those that its parent has blocked.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private static func run() -> ExitStatus {
        do throws(CommandError) {
            return try perform(try CommandParser(root: .hearth).parse(CommandLineWords.read()))
        } catch {
            StandardOutput.shared.flush()
            Terminal.standardError.report(error)
            return error.status
        }
    }

    private static func perform(_ command: ParsedCommand) throws(CommandError) -> ExitStatus {
        switch command {
        case .run(let invocation): return try invocation.run()
        case .help(let help): StandardOutput.shared.print(help)
        case .version: StandardOutput.shared.print("hearth \(hearthVersion)")
        case .completionScript(let shell):
            StandardOutput.shared.print(CompletionScript(for: Verb.hearth.name, in: shell).text)
        }
        return .success
    }
}

/// The newest released version of the changelog.
let hearthVersion = "0.3.0"
/// The day of that version, as the manual page shows it.
let hearthDate = "2026-11-22"

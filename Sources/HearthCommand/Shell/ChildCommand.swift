internal import CommandLineKit
internal import Glibc

/// A command that runs in a process of its own, at the same terminal.
struct ChildCommand {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// Runs it to its end; Ctrl-C reaches it, since it belongs to the same terminal.
    func run() throws(CommandError) -> ExitStatus {
        StandardOutput.shared.flush()
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = (["hearth"] + words).map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        let failure = posix_spawn(&child, "/proc/self/exe", nil, nil, arguments, environ)
        guard failure == 0 else {
            throw CommandError(
                .unavailable, "cannot start a process: \(String(cString: strerror(failure)))",
                fix: "end other processes, or raise the limit with `ulimit -u`")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        // As in sys/wait.h: the exit code, unless a signal ended the process.
        guard status & 0x7F == 0 else { return .interrupted }
        return ExitStatus(rawValue: status >> 8 & 0xFF) ?? .checkFailed
    }
}

package import CommandLineKit
internal import Glibc

/// Starts nodes as processes of their own, which outlive the terminal.
package enum NodeLaunch {
    /// The end of a node that is not stopped.
    package enum Lifetime: Sendable {
        case endless
        /// With the thread that starts it, however that ends.
        case ofThisProcess
    }

    /// POSIX_SPAWN_SETSID, which the headers show to GNU programs only.
    private static let newSession: Int16 = 0x80

    /// Starts `hearth node`, with its output appended to `log`.
    ///
    /// - Parameters:
    ///   - program: The program to start; nil for this one.
    ///   - records: A folder in which the node records each turn.
    /// - Throws: when the log cannot be written or the system refuses another process.
    package static func start(
        _ id: String, configuration: String, log: String, program: String? = nil,
        records: String?, lifetime: Lifetime
    ) throws(CommandError) -> NodeProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ctrl-C in this terminal is for this program, which then stops the nodes in order.
        posix_spawnattr_setflags(&attributes, newSession)

        keepDescriptorsFromChildren()
        var words = ["hearth", "node", "--config", configuration, "--id", id]
        if let records { words += ["--record", records] }
        if lifetime == .ofThisProcess { words += ["--parent", String(getpid())] }
        var pid = pid_t()
        let refusal = withCStrings(words) { words in
            posix_spawn(&pid, program ?? ownProgram, &actions, &attributes, words, environ)
        }
        guard refusal == 0 else {
            throw CommandError(
                .unavailable, "cannot start node \(id): \(String(cString: strerror(refusal)))",
                fix: "check that \(log) can be written, and the limits of `ulimit -a`")
        }
        // It exists until it is waited for, even if it has ended already.
        guard let process = NodeProcess(pid: pid) else {
            preconditionFailure("process \(pid) is gone without having been waited for")
        }
        return process
    }

    /// Closes inherited files: otherwise a node would keep a pipe open, or hold a lock, for which another
    /// process waits.
    private static func keepDescriptorsFromChildren() {
        for descriptor in STDERR_FILENO + 1..<1024 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// The file of this program, or the program that runs if the file was replaced since.
    ///
    /// The simulator's program is not a node: it starts the `hearth` beside it.
    static var ownProgram: String {
        let file = OwnProgram.file
        if file == SiblingProgram.simulator.path { return SiblingProgram.hearth.path }
        return access(file, X_OK) == 0 ? file : "/proc/self/exe"
    }
}

/// Passes words as a program receives them: C strings, and a null pointer at the end.
func withCStrings<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

internal import CommandLineKit
internal import Glibc

/// A check that a program can start a node with its configuration: `hearth node --check`, which starts nothing.
struct StartCheck {
    let program: String
    let configuration: String

    /// - Throws: the mistake that the program names, with exit code 78; or why the program cannot be started.
    func run(for id: String) throws(CommandError) {
        // Another program may accept any words.
        try StartCheck.requireProgram(program)
        let words = ["hearth", "node", "--check", "--config", configuration, "--id", id]
        let (status, text) = try StartCheck.run(program, words)
        if status == 0 { return }
        let lines = text.split(separator: "\n").map(String.init)
        throw CommandError(
            .misconfigured,
            lines.text(after: "error: ") ?? "\(program) node --check ended with \(status)",
            fix: lines.text(after: "fix: ") ?? "run \(words.joined(separator: " "))")
    }

    /// - Throws: if a file is not the program `hearth`.
    static func requireProgram(_ file: String) throws(CommandError) {
        guard try run(file, ["hearth", "version"]).text.hasPrefix("hearth ") else {
            throw CommandError(
                .noInput, "\(file) is not the program hearth",
                fix: "name the program `hearth` of the new version with --program")
        }
    }

    /// Runs a program to its end, and returns its exit status and the text that it wrote.
    private static func run(
        _ program: String, _ words: [String]
    ) throws(CommandError) -> (status: Int32, text: String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw cannotStart(program, errno) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        var pid = pid_t()
        let refusal = withCStrings(words) { posix_spawn(&pid, program, &actions, nil, $0, environ) }
        close(ends[1])
        guard refusal == 0 else { throw cannotStart(program, refusal) }
        let text = readAll(from: ends[0]) ?? []
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return (status, String(decoding: text, as: UTF8.self))
    }

    private static func cannotStart(_ program: String, _ error: Int32) -> CommandError {
        CommandError(
            .noInput, "cannot start \(program): \(String(cString: strerror(error)))",
            fix: "name the program `hearth` of the new version with --program")
    }
}

extension [String] {
    /// The rest of the first line with this beginning.
    fileprivate func text(after start: String) -> String? {
        first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}

/// Runs the commands of a shell, one line after the other.
///
/// Verbs for data run in this process, on one connection; others in a process of their own.
struct ShellCommands {
    enum Outcome: Equatable {
        case ended(ExitStatus)
        case left
    }

    /// Words that are no verbs of the command line.
    static let ownVerbs = [
        ("help", "Lists the verbs, or explains one."),
        ("exit", "Leaves the shell, as Ctrl-D does."),
    ]

    /// All that a line may begin with.
    static var verbs: [(name: String, summary: String)] {
        let own = ownVerbs.map(\.0) + [Verb.shell.name]
        return ownVerbs
            + Verb.hearth.verbs.filter { !own.contains($0.name) }.map { ($0.name, $0.summary) }
    }

    /// What the shell was told: its nodes are those of each command that names no other.
    private let defaults: Invocation

    init(with defaults: Invocation) { self.defaults = defaults }

    /// Runs a line, and reports what is wrong with it.
    func run(_ line: String) -> Outcome {
        StopRequest.reset()
        do throws(CommandError) {
            let outcome = try perform(line)
            if outcome == .ended(.interrupted) { leaveInterruptedLine() }
            return outcome
        } catch {
            StandardOutput.shared.flush()
            if error.status == .interrupted { leaveInterruptedLine() }
            Terminal.standardError.report(error)
            return .ended(error.status)
        }
    }

    /// The terminal has shown ^C in the middle of a line.
    private func leaveInterruptedLine() {
        if Terminal.standardError.isInteractive { Terminal.standardError.print("") }
    }

    private func perform(_ line: String) throws(CommandError) -> Outcome {
        let parsed = ShellLine(line)
        if let missing = parsed.missing {
            throw CommandError(
                .usage, "the line ends before its closing \(missing)", fix: "add \(missing)")
        }
        var words = parsed.words
        if words.first == "hearth" { words.removeFirst() }
        switch words.first {
        case nil: return .ended(.success)
        case "exit", "quit": return .left
        case "help": return .ended(try help(Array(words.dropFirst())))
        case "shell":
            throw CommandError(.usage, "this is a shell already", fix: "give another command")
        default: return .ended(try perform(words))
        }
    }

    private func perform(_ words: [String]) throws(CommandError) -> ExitStatus {
        switch try CommandParser(root: .hearth).parse(words) {
        case .run(let invocation):
            let complete = withDefaults(invocation)
            guard Verb.runsInShell(complete.verb) else {
                return try ChildCommand(withDefaults(words, of: invocation)).run()
            }
            try refuseStandardInput(complete)
            defer { StandardOutput.shared.flush() }
            return try complete.run()
        case .help(let text): StandardOutput.shared.print(text)
        case .version: StandardOutput.shared.print("hearth \(hearthVersion)")
        default:
            throw CommandError(
                .usage, "\(words[0]) is for another shell",
                fix: "run `hearth \(words.joined(separator: " "))` there")
        }
        StandardOutput.shared.flush()
        return .success
    }

    private func help(_ words: [String]) throws(CommandError) -> ExitStatus {
        guard words.isEmpty else { return try perform(words + ["--help"]) }
        for (name, summary) in ShellCommands.verbs {
            StandardOutput.shared.print(
                "  " + name.padded(to: 14) + ShellCommands.beginning(of: summary))
        }
        StandardOutput.shared.print("\n`help VERB` or `VERB --help` explains one.")
        StandardOutput.shared.flush()
        return .success
    }

    /// What fits on a line with the name of a verb.
    private static func beginning(of summary: String) -> String {
        summary.count <= 64 ? summary : summary.prefix(63) + "…"
    }

    /// The lines of the shell come from there.
    private func refuseStandardInput(_ invocation: Invocation) throws(CommandError) {
        let reads =
            invocation.verb.name != Verb.export.name
            && invocation.verb.arguments.contains { invocation.words(of: $0) == ["-"] }
        guard reads || invocation.has(Option(flag: "stdin", "")) else { return }
        throw CommandError(
            .usage, "in the shell, \(invocation.verb.name) cannot read standard input",
            fix: "name a file, or run `\(invocation.name)` outside the shell")
    }
}

// MARK: - What a command does not say

extension ShellCommands {
    /// The options of the shell that a command takes and does not give; a command that names a node is
    /// not given another one.
    private func missing(in invocation: Invocation) -> [Option] {
        NodeClient.options.filter { option in
            invocation.verb.options.contains { $0.name == option.name } && !invocation.has(option)
        }
    }

    func withDefaults(_ invocation: Invocation) -> Invocation {
        var complete = invocation
        for option in missing(in: invocation) {
            for value in defaults.values(of: option) { complete.add(value, to: option) }
        }
        return complete
    }

    /// The same as words: no option stands behind two dashes.
    private func withDefaults(_ words: [String], of invocation: Invocation) -> [String] {
        let added = missing(in: invocation).flatMap { option in
            defaults.values(of: option).map { "--\(option.name)=\($0)" }
        }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end] + added + words[end...]
    }
}

extension Verb {
    /// Whether a verb of the command line runs in the shell's own process: those for data.
    static func runsInShell(_ verb: Verb) -> Bool {
        dataVerbs.contains { $0.name == verb.name } && verb.verbs.isEmpty
    }
}

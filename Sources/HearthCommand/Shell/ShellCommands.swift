internal import ClusterAdministration
internal import CommandLineKit

/// Runs the commands of a shell, one line after the other.
///
/// Verbs for data run in this process, on one connection; others in a process of their own.
struct ShellCommands {
    enum Outcome: Equatable {
        case ended(ExitStatus)
        case left
    }

    /// The shell's own options: its nodes are those of each command that names no other.
    private let defaults: Invocation

    init(with defaults: Invocation) { self.defaults = defaults }

    /// Runs a line, and prints its error.
    func run(_ line: String) -> Outcome {
        StopRequest.reset()
        do throws(CommandError) {
            let outcome = try execute(line)
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

    private func execute(_ line: String) throws(CommandError) -> Outcome {
        let parsed = ShellLine(line)
        if let missing = parsed.missing {
            throw CommandError(
                .usage, "the line ends before its closing \(missing)", fix: "add \(missing)")
        }
        var words = parsed.words
        if words.first == "hearth" { words.removeFirst() }
        return words.isEmpty ? .ended(.success) : try execute(words)
    }

    private func execute(_ words: [String]) throws(CommandError) -> Outcome {
        switch try CommandParser(root: .inShell).parse(words) {
        case .run(let invocation):
            if Verb.shellEnds.contains(where: { $0.name == invocation.verb.name }) { return .left }
            let complete = withDefaults(invocation)
            guard Verb.runsInShell(complete.verb) else {
                return .ended(try ChildCommand(withDefaults(words, of: invocation)).run())
            }
            try refuseStandardInput(complete)
            defer { StandardOutput.shared.flush() }
            return .ended(try complete.run())
        case .start: return .ended(try ChildCommand(words).run())
        case .help(let text): StandardOutput.shared.print(text)
        case .version: StandardOutput.shared.print("hearth \(hearthVersion)")
        default:
            throw CommandError(
                .usage, "\(words[0]) is for another shell",
                fix: "run `hearth \(words.joined(separator: " "))` there")
        }
        StandardOutput.shared.flush()
        return .ended(.success)
    }

    /// The shell reads its lines from standard input.
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

// MARK: - Options that a command leaves out

extension ShellCommands {
    /// The options of the shell that a command accepts and leaves out; a command that names a node gets no
    /// other one.
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
    /// The verbs with which a line of the shell may begin.
    static let inShell = Verb(
        hearth.name, "Runs and talks to Hearth, in a shell.",
        verbs: hearth.verbs.filter { $0.name != shell.name } + shellEnds,
        examples: ["get /rooms/lobby"])

    /// The verbs that end a shell; one of them is enough for its help.
    fileprivate static let shellEnds = [
        Verb("exit", "Leaves the shell, as Ctrl-D does.", examples: ["exit"]) { _ in .success },
        Verb("quit", "Leaves the shell.", examples: ["quit"], isHidden: true) { _ in .success },
    ]

    /// Whether a verb of the command line runs in the shell's own process: those for data, and help.
    static func runsInShell(_ verb: Verb) -> Bool {
        (dataVerbs + HelpVerbs.all).contains { $0.name == verb.name } && verb.verbs.isEmpty
    }
}

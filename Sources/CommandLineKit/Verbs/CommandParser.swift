/// A parsed command line.
package enum ParsedCommand: Sendable {
    case run(Invocation)
    /// Start the program that has the verb, with the same command line.
    case start(SiblingProgram)
    case help(String)
    case version
    case completionScript(CompletionScript.Shell)
}

/// Reads a command line by the declarations of its verbs, in the GNU way: `--name value` or
/// `--name=value`, options anywhere after their verb, `--` before words that begin with a dash.
package struct CommandParser {
    private let root: Verb

    /// A parser of the command lines of a root verb.
    package init(root: Verb) { self.root = root }

    /// - Throws: a usage error that names the nearest right word where one is close.
    package func parse(_ words: [String]) throws(CommandError) -> ParsedCommand {
        if let command = try parseGlobalOption(words) { return command }
        var words = words[...]
        var verb = root
        var path = [root.name]
        while verb.work == nil {
            if let program = verb.program { return .start(program) }
            guard let word = words.popFirst() else { throw missingVerb(of: verb, path) }
            if CommandParser.asksForHelp(word) { return .help(HelpText(of: verb, path).text) }
            verb = try subVerb(word, of: verb, path)
            path.append(verb.name)
        }
        return try parse(words, for: verb, path)
    }

    private func parseGlobalOption(_ words: [String]) throws(CommandError) -> ParsedCommand? {
        switch words.first {
        case "--version", "-v": return .version
        case "--generate-completion-script":
            let name = words.count > 1 ? words[1] : ""
            guard let shell = CompletionScript.Shell(rawValue: name) else {
                throw CommandError(
                    .usage, "--generate-completion-script \(name): unknown shell",
                    fix: "name bash, zsh or fish")
            }
            return .completionScript(shell)
        default: return nil
        }
    }

    /// The verb that words name, and the words that lead to it with the command's own.
    ///
    /// The words behind a verb of another program are left to that program.
    ///
    /// - Throws: a usage error for a word that names none.
    package func verb(named words: [String]) throws(CommandError) -> (verb: Verb, path: [String]) {
        var (verb, path) = (root, [root.name])
        for word in words {
            if verb.program != nil { break }
            guard verb.work == nil else {
                throw CommandError(
                    .usage, "\(path.joined(separator: " ")) has no verbs below it",
                    fix: "see `\(path.joined(separator: " ")) --help`")
            }
            verb = try subVerb(word, of: verb, path)
            path.append(verb.name)
        }
        return (verb, path)
    }

    private func subVerb(
        _ word: String, of verb: Verb, _ path: [String]
    ) throws(CommandError) -> Verb {
        if let found = verb.verbs.first(where: { $0.name == word }) { return found }
        let names = verb.shownVerbs.map(\.name)
        let command = path.joined(separator: " ")
        if word.hasPrefix("-") {
            let options = HelpText.options(of: verb, path)
            let nearest = Suggestion.nearest(to: word, among: options.map { "--" + $0.name })
            throw CommandError(
                .usage, "\(command): unknown option \(word)",
                fix: nearest.map { "did you mean `\(command) \($0)`?" }
                    ?? "see `\(command) --help`")
        }
        let fix =
            Suggestion.nearest(to: word, among: names).map { "did you mean `\(command) \($0)`?" }
            ?? "use one of \(names.joined(separator: ", "))"
        throw CommandError(.usage, "\(command): unknown verb \"\(word)\"", fix: fix)
    }

    private func missingVerb(of verb: Verb, _ path: [String]) -> CommandError {
        let command = path.joined(separator: " ")
        let names = verb.shownVerbs.map(\.name).joined(separator: ", ")
        return CommandError(
            .usage, "\(command): no verb given",
            fix: "add one of \(names); `\(command) --help` explains them")
    }

    static func asksForHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }
}

// MARK: - One verb's words

extension CommandParser {
    private func parse(
        _ words: ArraySlice<String>, for verb: Verb, _ path: [String]
    ) throws(CommandError) -> ParsedCommand {
        var words = words
        var plain: [String] = []
        var invocation = Invocation(of: verb, path: path)
        while let word = words.popFirst() {
            if word == "--" {
                plain += words
                break
            } else if CommandParser.asksForHelp(word) {
                return .help(HelpText(of: verb, path).text)
            } else if CommandParser.isOption(word) {
                try parseOption(word, following: &words, into: &invocation)
            } else {
                plain.append(word)
            }
        }
        try assign(plain, to: &invocation)
        return .run(invocation)
    }

    /// A dash alone is standard input or output, and a dash before a digit a negative number.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 1 else { return false }
        return !(word.dropFirst().first?.isWholeNumber ?? false)
    }

    private func parseOption(
        _ word: String, following words: inout ArraySlice<String>,
        into invocation: inout Invocation
    ) throws(CommandError) {
        let parts = CommandParser.parts(of: word)
        let name = String(parts[0])
        guard let option = invocation.verb.options.first(where: { $0.isNamed(name) }) else {
            throw unknownOption(name, for: invocation)
        }
        switch option.kind {
        case .flag:
            if parts.count > 1 { throw invocation.usageError("\(name) takes no value") }
            invocation.add("", to: option)
        case .value(let valueName, let kind):
            guard let value = parts.count > 1 ? String(parts[1]) : words.popFirst() else {
                throw invocation.usageError(
                    "\(name): its value is missing", fix: "write \(name) \(valueName)")
            }
            try check(value, as: kind, for: name, of: invocation)
            invocation.add(value, to: option)
        }
    }

    /// The name of an option, and its value if it is in the same word: `--lines=5` or `-n5`.
    private static func parts(of word: String) -> [Substring] {
        if word.hasPrefix("--") {
            return word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return word.count > 2 ? [word.prefix(2), word.dropFirst(2)] : [word[...]]
    }

    private func unknownOption(_ name: String, for invocation: Invocation) -> CommandError {
        let names = (invocation.verb.options + [.help]).map { "--" + $0.name }
        let nearest = Suggestion.nearest(to: name, among: names)
        return invocation.usageError(
            "\(invocation.name): unknown option \(name)", fix: nearest.map { "did you mean \($0)?" }
        )
    }

    private func check(
        _ value: String, as kind: ValueKind, for name: String, of invocation: Invocation
    ) throws(CommandError) {
        guard case .oneOf(let choices) = kind, !choices.contains(value) else { return }
        let nearest = Suggestion.nearest(to: value, among: choices)
        throw invocation.usageError(
            "\(name) \(value): unknown value",
            fix: nearest.map { "did you mean \(name) \($0)?" }
                ?? "use one of \(choices.joined(separator: ", "))")
    }

    private func assign(
        _ words: [String], to invocation: inout Invocation
    ) throws(CommandError) {
        var rest = words[...]
        for argument in invocation.verb.arguments {
            guard let word = rest.popFirst() else {
                if argument.arity == .optional || argument.arity == .any { continue }
                let usage = HelpText.usage(of: invocation.verb, invocation.path)
                throw invocation.usageError(
                    "\(invocation.name): \(argument.name) is missing",
                    fix: "write `\(usage)`" + (argument.alternative.map { ", or \($0)" } ?? ""))
            }
            try check(word, as: argument.values, for: argument.name, of: invocation)
            invocation.add(word, to: argument)
            guard argument.arity == .repeated || argument.arity == .any else { continue }
            for word in rest { invocation.add(word, to: argument) }
            rest = []
        }
        if let extra = rest.first {
            throw invocation.usageError("\(invocation.name): unexpected \"\(extra)\"")
        }
    }
}

/// Finds the words that may stand at the end of a command line, for the shells' completion.
package struct Completion {
    /// A word that may stand there, and what it means.
    package struct Candidate: Equatable, Sendable {
        package let word: String
        package var explanation = ""
    }

    /// The shell's suggestions.
    package enum Reply: Equatable, Sendable {
        case words([Candidate])
        /// The shell knows these better.
        case files
        case folders
        /// The program that has the verb knows them.
        case program(SiblingProgram)
    }

    /// The names of a cluster's nodes, and the keys at a path that begin with some text.
    package struct Source: Sendable {
        package let nodes: @Sendable (Invocation) -> [String]
        package let keys: @Sendable (_ path: String, _ beginning: String, Invocation) -> [String]

        /// A source that asks by these functions.
        package init(
            nodes: @escaping @Sendable (Invocation) -> [String],
            keys: @escaping @Sendable (_ path: String, _ beginning: String, Invocation) -> [String]
        ) {
            self.nodes = nodes
            self.keys = keys
        }

        /// A source that knows no cluster.
        package static let none = Source(nodes: { _ in [] }, keys: { _, _, _ in [] })
    }

    private let root: Verb
    private let source: Source

    package init(for root: Verb, source: Source) {
        self.root = root
        self.source = source
    }

    /// - Parameters:
    ///   - words: Those before the one to complete, without the command.
    ///   - beginning: The beginning of the word to complete.
    package func reply(after words: [String], beginning: String) -> Reply {
        var line = CompletedLine(root)
        for word in words { line.add(word) }
        guard !line.isLost else { return .words([]) }
        let reply = reply(in: line, beginning: beginning)
        guard case .words(let candidates) = reply else { return reply }
        return .words(candidates.filter { $0.word.hasPrefix(beginning) })
    }

    private func reply(in line: CompletedLine, beginning: String) -> Reply {
        if let program = line.verb.program { return .program(program) }
        if let option = line.openOption { return values(of: option.values, line, beginning) }
        if !line.isPlain, beginning.hasPrefix("-"), beginning != "-" || line.verb.work != nil {
            return optionValue(in: line, beginning) ?? .words(optionNames(in: line))
        }
        if line.verb.work == nil { return .words(verbs(below: line.verb)) }
        guard let argument = line.openArgument else { return .words([]) }
        return values(of: argument.values, line, beginning)
    }

    private func optionNames(in line: CompletedLine) -> [Candidate] {
        HelpText.options(of: line.verb, line.path).map {
            Candidate(word: "--" + $0.name, explanation: $0.explanation)
        }
    }

    /// The values of `--name=`, each with that before it; nil for another word.
    private func optionValue(in line: CompletedLine, _ beginning: String) -> Reply? {
        guard let end = beginning.firstIndex(of: "=") else { return nil }
        let start = String(beginning[...end])
        guard let option = line.option(named: String(beginning[..<end])),
            case .words(let words) = values(
                of: option.values, line, String(beginning[end...].dropFirst()))
        else { return .words([]) }
        return .words(words.map { Candidate(word: start + $0.word) })
    }

    private func values(
        of kind: ValueKind, _ line: CompletedLine, _ beginning: String
    ) -> Reply {
        switch kind {
        case .text: .words([])
        case .file: .files
        case .folder: .folders
        case .oneOf(let choices): .words(choices.map { Candidate(word: $0) })
        case .node: .words(source.nodes(line.invocation).map { Candidate(word: $0) })
        case .path:
            .words(paths(beginning, line.invocation).map { Candidate(word: $0) })
        case .verb: .words(verbs(after: line.plainWords))
        }
    }

    /// The paths one key further than the beginning.
    private func paths(_ beginning: String, _ invocation: Invocation) -> [String] {
        // A path may be written without the slash at its start, and is completed as it was begun.
        guard let slash = beginning.lastIndex(of: "/") else {
            return beginning.isEmpty ? ["/"] : source.keys("/", beginning, invocation)
        }
        let parent = String(beginning[...slash])
        return source.keys(parent, String(beginning[slash...].dropFirst()), invocation)
            .map { parent + $0 }
    }

    private func verbs(below verb: Verb) -> [Candidate] {
        verb.shownVerbs.map { Candidate(word: $0.name, explanation: $0.summary) }
    }

    private func verbs(after words: [String]) -> [Candidate] {
        var verb = root
        for word in words {
            guard let next = verb.shownVerbs.first(where: { $0.name == word }) else { return [] }
            verb = next
        }
        return verbs(below: verb)
    }
}

/// The words so far, parsed without errors, as an unfinished line may have some.
private struct CompletedLine {
    private(set) var verb: Verb
    private(set) var path: [String]
    private(set) var plainWords: [String] = []
    /// The option whose value comes next.
    private(set) var openOption: Option?
    /// Whether no option may follow.
    private(set) var isPlain = false
    /// Whether there is a verb that does not exist.
    private(set) var isLost = false
    private(set) var invocation: Invocation

    init(_ root: Verb) {
        verb = root
        path = [root.name]
        invocation = Invocation(of: root, path: path)
    }

    mutating func add(_ word: String) {
        guard verb.program == nil else { return }
        if let option = openOption {
            invocation.add(word, to: option)
            openOption = nil
        } else if word == "--", !isPlain {
            isPlain = true
        } else if word.hasPrefix("-"), word.count > 1, !isPlain {
            addOption(word)
        } else if verb.work == nil {
            descend(to: word)
        } else {
            plainWords.append(word)
        }
    }

    private mutating func addOption(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = option(named: String(parts[0])), case .value = option.kind else {
            return
        }
        if parts.count > 1 {
            invocation.add(String(parts[1]), to: option)
        } else {
            openOption = option
        }
    }

    private mutating func descend(to word: String) {
        guard let next = verb.verbs.first(where: { $0.name == word }) else {
            isLost = true
            return
        }
        verb = next
        path.append(word)
        invocation = Invocation(of: verb, path: path)
    }

    func option(named word: String) -> Option? {
        HelpText.options(of: verb, path).first { $0.isNamed(word) }
    }

    /// The argument that the next plain word would be.
    var openArgument: Argument? {
        if plainWords.count < verb.arguments.count { return verb.arguments[plainWords.count] }
        guard let last = verb.arguments.last else { return nil }
        return last.arity == .repeated || last.arity == .any ? last : nil
    }
}

extension Option {
    fileprivate var values: ValueKind {
        if case .value(_, let kind) = kind { kind } else { .text }
    }

    /// Whether a word of the command line names it: `--lines` or `-n`.
    func isNamed(_ word: String) -> Bool {
        word == "--" + name || letter.map { word == "-\($0)" } ?? false
    }
}

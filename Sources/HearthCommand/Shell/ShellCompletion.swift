internal import DataTree
internal import LineEditor
internal import SyncProtocol

/// Completes the word in which a line of the shell ends: verbs, options and their values, and paths by
/// what is in the tree.
struct ShellCompletion {
    /// A way to go on with the word.
    struct Candidate: Equatable {
        /// The whole word.
        var word: String
        /// What follows it: a space, or a slash where there is something below.
        var end: String
    }

    private let commands: ShellCommands

    init(of commands: ShellCommands) { self.commands = commands }

    /// What the tabulator key does behind this text.
    func complete(_ text: String) -> LineEditor.Completion {
        let words = ShellLine(text)
        guard words.missing == nil else { return .nothing }
        let candidates = candidates(for: words).filter { $0.word.hasPrefix(words.current) }
        return ShellCompletion.completion(of: words.current, by: candidates)
    }

    /// Goes on as far as all candidates agree; shows them where they do not.
    static func completion(
        of word: String, by candidates: [Candidate]
    ) -> LineEditor.Completion {
        guard let first = candidates.first else { return .nothing }
        if candidates.count == 1 {
            return .insert(ShellLine.escaped(String(first.word.dropFirst(word.count))) + first.end)
        }
        var common = Substring(first.word)
        for candidate in candidates {
            while !candidate.word.hasPrefix(common) { common.removeLast() }
        }
        if common.count > word.count {
            return .insert(ShellLine.escaped(String(common.dropFirst(word.count))))
        }
        return .show(candidates.map { $0.word + $0.end + "\n" }.joined())
    }

    private func candidates(for words: ShellLine) -> [Candidate] {
        var before = words.before
        if before.first == "hearth" { before.removeFirst() }
        guard let (verb, rest) = ShellCompletion.verb(of: before) else { return [] }
        guard verb.verbs.isEmpty else {
            return ShellCompletion.verbNames(of: verb).map { Candidate(word: $0, end: " ") }
        }
        if let last = rest.last, let option = ShellCompletion.option(last, of: verb) {
            return values(of: option).map { Candidate(word: $0, end: " ") }
        }
        if words.current.hasPrefix("-") {
            return (verb.options + [.help]).map { Candidate(word: "--" + $0.name, end: " ") }
        }
        guard ShellCompletion.isAtPath(verb, behind: rest) else { return [] }
        return paths(from: words.current, for: words)
    }

    /// The verb that words lead to, and the words behind it; nil if there is no such verb.
    private static func verb(of words: [String]) -> (Verb, [String])? {
        var verb = Verb.hearth
        var rest = words[...]
        if rest.first == "help" { rest.removeFirst() }
        while !verb.verbs.isEmpty, let word = rest.popFirst() {
            guard let next = verb.verbs.first(where: { $0.name == word }) else { return nil }
            verb = next
        }
        return (verb, Array(rest))
    }

    private static func verbNames(of verb: Verb) -> [String] {
        verb.name == Verb.hearth.name ? ShellCommands.verbs.map(\.name) : verb.verbs.map(\.name)
    }

    /// The option whose value follows a word.
    private static func option(_ word: String, of verb: Verb) -> Option? {
        verb.options.first { option in
            if case .value = option.kind { "--" + option.name == word } else { false }
        }
    }

    /// Whether the next word that is no option is a path.
    private static func isAtPath(_ verb: Verb, behind words: [String]) -> Bool {
        var plainCount = 0
        var isValue = false
        for word in words {
            if isValue {
                isValue = false
            } else if word.hasPrefix("--") {
                isValue = option(word, of: verb) != nil
            } else {
                plainCount += 1
            }
        }
        return plainCount == 0 && verb.arguments.first?.name == DataArguments.path.name
    }

    private func values(of option: Option) -> [String] {
        if option.name == NodeOptions.node.name { return commands.nodeNames }
        if case .value(_, .oneOf(let choices)) = option.kind { return choices }
        return []
    }

    // MARK: Paths

    /// The paths that begin as a word does, one key further at most.
    private func paths(from word: String, for words: ShellLine) -> [Candidate] {
        let slash = word.lastIndex(of: "/")
        let above = slash.map { String(word[...$0]) } ?? ""
        let beginning = String(word[(slash.map { word.index(after: $0) } ?? word.startIndex)...])
        let children = commands.children(at: above, beginning: beginning, behind: words)
        return children.map { entry in
            switch entry.child {
            case .leaf: Candidate(word: above + entry.key.text, end: " ")
            case .object: Candidate(word: above + entry.key.text, end: "/")
            }
        }
    }
}

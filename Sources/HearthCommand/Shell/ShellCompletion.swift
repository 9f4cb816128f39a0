internal import CommandLineKit
internal import LineEditor

/// Completes the word in which a line of the shell ends, as other shells do by `hearth complete`.
struct ShellCompletion {
    private let completion: Completion

    init(of commands: ShellCommands) {
        let cluster = Completion.Source.cluster
        completion = Completion(
            for: .inShell,
            source: Completion.Source(
                nodes: { cluster.nodes(commands.withDefaults($0)) },
                keys: { cluster.keys($0, $1, commands.withDefaults($2)) }))
    }

    /// Returns the effect of the tabulator key after this text.
    func complete(_ text: String) -> LineEditor.Completion {
        let line = ShellLine(text)
        guard line.missing == nil else { return .nothing }
        var words = line.before
        if words.first == Verb.hearth.name { words.removeFirst() }
        // Files are not completed: the shell is for the cluster, not for the machine.
        guard case .words(let candidates) = completion.reply(after: words, beginning: line.current)
        else { return .nothing }
        return ShellCompletion.completion(of: line.current, by: candidates.map(\.word))
    }

    /// Goes on as far as all candidates agree; shows them where they do not.
    static func completion(of word: String, by candidates: [String]) -> LineEditor.Completion {
        guard let first = candidates.first else { return .nothing }
        if candidates.count == 1 {
            let rest = ShellLine.escaped(String(first.dropFirst(word.count)))
            return .insert(rest + (first.hasSuffix("/") ? "" : " "))
        }
        var common = Substring(first)
        for candidate in candidates {
            while !candidate.hasPrefix(common) { common.removeLast() }
        }
        if common.count > word.count {
            return .insert(ShellLine.escaped(String(common.dropFirst(word.count))))
        }
        return .show(candidates.map { $0 + "\n" }.joined())
    }
}

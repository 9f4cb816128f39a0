extension Completion {
    private static let words = Argument(
        "WORD", "The words so far, the last of which is to be completed.", arity: .any)

    /// `hearth complete -- WORD…`: run by a shell when Tab is pressed.
    ///
    /// Prints a candidate a line, with its meaning behind a tab, or `:files` or `:folders`. It prints no
    /// errors, which would disturb the command line.
    package static func verb(_ completion: @escaping @Sendable () -> Completion) -> Verb {
        Verb(
            "complete", "Prints the words that may complete a command line.", arguments: [words],
            examples: ["hearth complete -- sim r"], isHidden: true
        ) { (invocation) throws(CommandError) in
            let words = invocation.words(of: words)
            try completion().reply(after: words.dropLast(), beginning: words.last ?? "").print()
            return .success
        }
    }
}

extension Completion.Reply {
    fileprivate func print() throws(CommandError) {
        switch self {
        case .files: StandardOutput.shared.print(":files")
        case .folders: StandardOutput.shared.print(":folders")
        case .words(let candidates):
            for candidate in candidates {
                let explanation =
                    candidate.explanation.isEmpty ? "" : "\t" + candidate.explanation
                StandardOutput.shared.print(candidate.word + explanation)
            }
        case .program(let program): try program.replaceThisProcess()
        }
    }
}

internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol

extension Completion {
    private static let words = Argument(
        "WORD", "The words so far, the last of which is to be completed.", arity: .any)

    /// `hearth complete -- WORD…`: run by a shell when Tab is pressed.
    ///
    /// Prints a candidate a line, with its meaning behind a tab, or `:files` or `:folders`. It prints no
    /// errors, which would disturb the command line.
    static let verb: Verb = Verb(
        "complete", "Prints the words that may complete a command line.", arguments: [words],
        examples: ["hearth complete -- cluster kill n"], isHidden: true
    ) { invocation in
        let words = invocation.words(of: words)
        let completion = Completion(for: .hearth, source: .cluster)
        switch completion.reply(after: words.dropLast(), beginning: words.last ?? "") {
        case .files: StandardOutput.shared.print(":files")
        case .folders: StandardOutput.shared.print(":folders")
        case .words(let candidates):
            for candidate in candidates {
                let explanation =
                    candidate.explanation.isEmpty ? "" : "\t" + candidate.explanation
                StandardOutput.shared.print(candidate.word + explanation)
            }
        }
        return .success
    }
}

extension Completion.Source {
    /// The cluster that the command line so far, the environment or the default names.
    static let cluster = Completion.Source(
        nodes: { (try? NodeOptions.names(for: $0)) ?? [] },
        keys: { path, beginning, invocation in
            (try? keys(at: path, beginningWith: beginning, for: invocation)) ?? []
        })

    /// The longest wait for a completion, in seconds.
    private static let patience = "1"
    private static let limit = 100

    private static func keys(
        at text: String, beginningWith beginning: String, for invocation: Invocation
    ) throws -> [String] {
        var invocation = invocation
        invocation.add(patience, to: NodeClient.timeout)
        // Number keys are ordered by value, which separates those with a common beginning.
        let isNumber = Int(beginning) != nil
        let start = beginning.isEmpty || isNumber ? nil : try Key(beginning)
        let listing = try NodeClient(for: invocation).children(
            of: try Path(text), from: start, limit: isNumber ? ChildListing.countLimit : limit)
        return listing.entries.filter { $0.key.text.hasPrefix(beginning) }.map { entry in
            // More keys may follow where there is an object.
            if case .object = entry.child { entry.key.text + "/" } else { entry.key.text }
        }
    }
}

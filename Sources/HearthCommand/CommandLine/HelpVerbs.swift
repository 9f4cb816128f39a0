internal import ClusterAdministration
internal import CommandLineKit

/// The verbs about `hearth` itself.
enum HelpVerbs {
    static let all: [Verb] = [help, version, man, completion]

    private static let topic = Argument(
        "VERB", "The verb to explain, such as get, or cluster up.", arity: .any, values: .verb)

    private static let help: Verb = Verb(
        "help", "Shows the help of a verb, or of hearth as a whole.", arguments: [topic],
        examples: ["hearth help", "hearth help get", "hearth help cluster up"]
    ) { invocation throws(CommandError) in
        let words = invocation.words(of: topic)
        let (verb, path) = try CommandParser(root: .hearth).verb(named: words)
        if verb.program != nil { return try ChildCommand(words + ["--help"]).run() }
        StandardOutput.shared.print(HelpText(of: verb, path).text)
        return .success
    }

    private static let completion = Completion.verb { Completion(for: .hearth, source: .cluster) }

    private static let version: Verb = Verb(
        "version", "Shows the version.", examples: ["hearth version"]
    ) { _ in
        StandardOutput.shared.print("hearth \(hearthVersion)")
        return .success
    }

    private static let man: Verb = Verb(
        "man", "Prints the manual page, which has the same text as the help of all verbs.",
        examples: ["hearth man > hearth.1"]
    ) { _ in
        StandardOutput.shared.print(
            ManualPage(for: .hearth, version: hearthVersion, of: hearthDate).text)
        return .success
    }
}

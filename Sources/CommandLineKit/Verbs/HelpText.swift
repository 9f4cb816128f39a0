/// The output of `--help` for one verb.
package struct HelpText {
    package let text: String

    /// The purpose and examples come first; options that many verbs have come last.
    package init(of verb: Verb, _ path: [String]) {
        let examples = verb.examples.map { "  " + $0 }.joined(separator: "\n")
        var sections = [
            verb.summary.wrapped(to: 80).joined(separator: "\n"),
            (verb.examples.count > 1 ? "examples:\n" : "example:\n") + examples,
            "usage: " + HelpText.usage(of: verb, path),
        ]
        sections += HelpText.tables(of: verb, path).map(HelpText.text)
        text = sections.joined(separator: "\n\n")
    }

    /// The tables of a verb's help, in order.
    package static func tables(of verb: Verb, _ path: [String]) -> [HelpTable] {
        let options = options(of: verb, path)
        let common = options.filter(\.isCommon)
        let own = options.filter { !$0.isCommon && ($0.name != Option.help.name || common.isEmpty) }
        let tables =
            [
                HelpTable("verbs", verb.shownVerbs.map { ($0.name, $0.purpose) }),
                HelpTable("arguments", verb.arguments.map { ($0.name, $0.explanation) }),
                HelpTable("options", of: own),
            ] + verb.tables
            + [HelpTable("common options", of: common.isEmpty ? [] : common + [.help])]
        return tables.filter { !$0.rows.isEmpty }
    }

    /// The options that may follow a verb.
    package static func options(of verb: Verb, _ path: [String]) -> [Option] {
        verb.options + [.help] + (path.count == 1 ? globalOptions : [])
    }

    /// One line: `hearth get PATH [options]`.
    package static func usage(of verb: Verb, _ path: [String]) -> String {
        var words = path
        if !verb.verbs.isEmpty { words.append("VERB …") }
        if verb.program != nil { words.append("…") }
        for argument in verb.arguments {
            switch argument.arity {
            case .required: words.append(argument.name)
            case .optional: words.append("[\(argument.name)]")
            case .repeated: words.append("\(argument.name)…")
            case .any: words.append("[\(argument.name)…]")
            }
        }
        if !verb.options.isEmpty { words.append("[options]") }
        return words.joined(separator: " ")
    }

    static let globalOptions = [
        Option(flag: "version", letter: "v", "Show the version."),
        Option(
            "generate-completion-script", "SHELL", "Print completions for a shell.",
            values: .oneOf(CompletionScript.Shell.allCases.map(\.rawValue))),
    ]

    /// Two columns, the second broken at 80 characters.
    private static func text(of table: HelpTable) -> String {
        let width = min(26, table.rows.map(\.name.count).max() ?? 0)
        let indentation = String(repeating: " ", count: width + 4)
        let lines = table.rows.map { name, explanation in
            let start = "  " + name.padded(to: width)
            let separator = name.count > width ? "\n" + indentation : "  "
            return start + separator
                + explanation.wrapped(to: 80 - indentation.count)
                .joined(separator: "\n" + indentation)
        }
        return ([table.title + ":"] + lines).joined(separator: "\n")
    }
}

extension Option {
    /// As help shows it: `-n, --lines NUMBER`.
    package var usage: String {
        let long =
            switch kind {
            case .flag: "--\(name)"
            case .value(let valueName, _): "--\(name) \(valueName)"
            }
        return letter.map { "-\($0), \(long)" } ?? long
    }
}

extension String {
    /// The text with spaces behind it, so many characters wide at least.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    /// Lines of at most so many characters, broken at spaces.
    fileprivate func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return lines + [line]
    }
}

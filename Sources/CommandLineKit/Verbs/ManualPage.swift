/// The manual page of a command, as `man` reads it: all verbs, by the declarations that the help shows.
///
/// Source: man(7), the macros that every `man` understands.
package struct ManualPage {
    package let text: String

    /// - Parameter date: The day of the version.
    package init(for root: Verb, version: String, of date: String) {
        var lines = [
            ".TH \(root.name.uppercased()) 1 \"\(date)\" \"Hearth \(version)\" \"User Commands\"",
            ".SH NAME", "\(root.name) \\- \(ManualPage.escaped(ManualPage.headline(of: root)))",
            ".SH SYNOPSIS", ".B \(root.name)", "VERB \\&... [options]",
            ".SH DESCRIPTION", ManualPage.escaped(root.summary),
            "Each verb shows its part of this page with \\fB\\-\\-help\\fR.",
        ]
        lines += [".SH OPTIONS"]
        let options = HelpText.options(of: root, [root.name])
        lines += ManualPage.rows(options.map { ($0.usage, $0.explanation) })
        lines += [".SH VERBS"]
        for verb in root.shownVerbs { lines += ManualPage.lines(of: verb, [root.name]) }
        for table in root.tables {
            lines += [".SH \(table.title.uppercased())"] + ManualPage.rows(table.rows)
        }
        lines += [".SH EXAMPLES"] + ManualPage.examples(of: root).dropFirst()
        text = lines.joined(separator: "\n")
    }

    /// The summary as the one line that `apropos` lists: without its article and its end.
    private static func headline(of verb: Verb) -> String {
        let line = verb.summary.hasSuffix(".") ? String(verb.summary.dropLast()) : verb.summary
        return line.prefix(1).lowercased() + line.dropFirst()
    }

    private static func lines(of verb: Verb, _ path: [String]) -> [String] {
        let path = path + [verb.name]
        guard verb.verbs.isEmpty else {
            return verb.shownVerbs.flatMap { self.lines(of: $0, path) }
        }
        var lines = [
            ".SS \"\(escaped(HelpText.usage(of: verb, path)))\"", escaped(verb.summary),
        ]
        for table in HelpText.tables(of: verb, path) {
            // Said once, at the top.
            let rows = table.rows.filter { $0.name != Option.help.usage }
            if rows.isEmpty { continue }
            lines += [".PP", "\(escaped(capitalized(table.title))):"] + self.rows(rows)
        }
        if verb.program != nil {
            lines += [".PP", escaped("\(path.joined(separator: " ")) --help explains the rest.")]
        }
        return lines + [".PP", "Examples:"] + examples(of: verb)
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func rows(_ rows: [(name: String, explanation: String)]) -> [String] {
        rows.flatMap { [".TP", ".B \(quoted($0.name))", escaped($0.explanation)] }
    }

    private static func examples(of verb: Verb) -> [String] {
        [".PP", ".nf", ".RS"] + verb.examples.map(escaped) + [".RE", ".fi"]
    }

    /// An argument of a macro, which ends at a space otherwise.
    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text as it is, where some characters mean something to roff.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "\"": escaped += "\\(dq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default:
                if let scalar = character.unicodeScalars.first, scalar.value > 0x7F {
                    escaped += "\\[u\(ManualPage.hexadecimal(scalar.value))]"
                } else {
                    escaped.append(character)
                }
            }
        }
        // A line that begins with a point would be a request.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

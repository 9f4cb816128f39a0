/// A part of a verb's help: words and their meanings.
package struct HelpTable: Sendable {
    /// In small letters, as in `exit codes`.
    package let title: String
    package let rows: [(name: String, explanation: String)]

    package init(_ title: String, _ rows: [(String, String)]) {
        self.title = title
        self.rows = rows.map { (name: $0.0, explanation: $0.1) }
    }

    /// A table of options.
    init(_ title: String, of options: [Option]) {
        self.init(title, options.map { ($0.usage, $0.explanation) })
    }

    /// The exit codes of all verbs.
    package static let exitCodes = HelpTable(
        "exit codes", ExitStatus.allCases.map { (String($0.rawValue), $0.explanation) })
}

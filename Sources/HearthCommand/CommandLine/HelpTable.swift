/// A part of a verb's help: what some words mean.
struct HelpTable: Sendable {
    /// In small letters, as in `exit codes`.
    let title: String
    let rows: [(name: String, explanation: String)]

    init(_ title: String, _ rows: [(String, String)]) {
        self.title = title
        self.rows = rows.map { (name: $0.0, explanation: $0.1) }
    }

    /// What the exit codes mean, for every verb.
    static let exitCodes = HelpTable(
        "exit codes", ExitStatus.allCases.map { (String($0.rawValue), $0.explanation) })

    /// The variables of the environment that verbs read.
    static let environment = HelpTable(
        "environment",
        [
            ("HEARTH_DIR", "The cluster's folder, where --dir is not given."),
            ("HEARTH_KEY", "The file of your key, where --key is not given."),
            ("NO_COLOR", "If it is set and not empty, nothing is coloured."),
        ])
}

internal import CommandLineKit
internal import Rules

/// A file with a document of rules.
struct RulesFile {
    /// How many faults are printed; the first often explain the others.
    private static let shownFaults = 50
    private let name: String

    init(_ name: String) { self.name = name }

    /// Compiles the document; its first faults are printed, a line each.
    func read() throws(CommandError) -> Ruleset {
        try compiled(try InputFile(name).readAll())
    }

    /// The text of the document, which compiles; its warnings are printed to standard error, a line each.
    func checkedText() throws(CommandError) -> String {
        try checkedText(try InputFile(name).readAll())
    }

    /// The same for a document that has been read already; the name is for messages.
    func checkedText(_ text: [UInt8]) throws(CommandError) -> String {
        for warning in try compiled(text).warnings {
            Terminal.standardError.print(line(of: warning))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A warning as it is printed.
    func line(of warning: RuleWarning) -> String {
        "\(name):\(warning.line):\(warning.column): warning: \(warning.text) [\(warning.code.rawValue)]"
    }

    private func compiled(_ text: [UInt8]) throws(CommandError) -> Ruleset {
        do {
            return try Ruleset(text)
        } catch {
            StandardOutput.shared.flush()
            for fault in error.errors.prefix(Self.shownFaults) {
                Terminal.standardError.print("\(name):\(fault)")
            }
            throw CommandError(
                .badData, "\(name) has \(counted(error.errors.count, "fault"))",
                fix: "fix the errors above; columns count from 1")
        }
    }
}

internal import CommandLineKit
internal import Rules

/// A file with a document of rules.
struct RulesFile {
    private let name: String

    init(_ name: String) { self.name = name }

    /// Compiles the document; all its faults are printed, a line each.
    func read() throws(CommandError) -> Ruleset {
        let text = try InputFile(name).readAll()
        do {
            return try Ruleset(text)
        } catch {
            StandardOutput.shared.flush()
            for fault in error.errors { Terminal.standardError.print("\(name):\(fault)") }
            throw CommandError(
                .badData, "\(name) has \(counted(error.errors.count, "fault"))",
                fix: "mend what is named above; the columns count from 1")
        }
    }
}

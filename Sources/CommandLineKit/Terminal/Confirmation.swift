internal import Glibc

/// A question to the person at the terminal before a command does what cannot be undone.
package struct Confirmation {
    private let question: String

    package init(_ question: String) { self.question = question }

    /// Whether the person agrees.
    ///
    /// - Throws: `refusal` if no person is there: standard input or standard error is not a terminal.
    package func ask(otherwise refusal: CommandError) throws(CommandError) -> Bool {
        let terminal = Terminal.standardError
        guard terminal.isInteractive, isatty(STDIN_FILENO) == 1 else { throw refusal }
        StandardOutput.shared.flush()
        terminal.write("\(question) [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }

    /// Whether the person confirms by typing a text.
    ///
    /// - Throws: `refusal` if no person is there.
    package func ask(
        toType text: String, otherwise refusal: CommandError
    ) throws(CommandError) -> Bool {
        let terminal = Terminal.standardError
        guard terminal.isInteractive, isatty(STDIN_FILENO) == 1 else { throw refusal }
        StandardOutput.shared.flush()
        terminal.write("\(question) Type \(text) to confirm: ")
        return readLine() == text
    }
}

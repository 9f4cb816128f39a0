internal import Glibc

/// A question to the person at the terminal, whose answer is one line.
package struct Question {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Whether a person can be asked: standard input and standard error are a terminal.
    package static var isPossible: Bool {
        Terminal.standardError.isInteractive && isatty(STDIN_FILENO) == 1
    }

    /// Asks until `parse` accepts the answer; errors of usage are shown.
    ///
    /// - Throws: other errors of `parse`, or that the input has ended.
    package func ask<Answer>(
        _ parse: (String) throws(CommandError) -> Answer
    ) throws(CommandError) -> Answer {
        let terminal = Terminal.standardError
        StandardOutput.shared.flush()
        while true {
            terminal.write("\(text) ")
            guard let line = readLine() else {
                throw CommandError(
                    .interrupted, "the input ended before an answer",
                    fix: "answer the questions, or give the answers as options")
            }
            do throws(CommandError) {
                return try parse(line)
            } catch {
                guard error.status == .usage else { throw error }
                terminal.report(error)
            }
        }
    }
}

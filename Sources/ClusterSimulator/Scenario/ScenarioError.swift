internal import Spelling

/// Says what is wrong in a scenario file, where, and what would be right.
public struct ScenarioError: Error, Equatable, Sendable {
    /// Names the offending word and its place, such as `unknown word "looss" at 4:18`.
    public let problem: String
    /// A correction, such as `did you mean "loss"?`.
    public let fix: String
    /// Counted from 1.
    public let line: Int
    /// Counted in bytes from 1.
    public let column: Int
}

extension ScenarioError: CustomStringConvertible {
    /// The text of it.
    public var description: String { "\(problem): \(fix)" }
}

extension ScenarioError {
    static func unknown(_ word: ScenarioWord, known: [String]) -> ScenarioError {
        let fix =
            nearestWord(to: word.text, among: known).map { "did you mean \"\($0)\"?" }
            ?? "use one of \(known.joined(separator: ", "))"
        return ScenarioError(
            problem: "unknown word \"\(word.text)\" at \(word.line):\(word.column)", fix: fix,
            line: word.line, column: word.column)
    }

    static func expected(_ wanted: String, found word: ScenarioWord) -> ScenarioError {
        let found = word.isEnd ? "the end of the line" : "\"\(word.text)\""
        return ScenarioError(
            problem: "found \(found) at \(word.line):\(word.column)", fix: "expected \(wanted)",
            line: word.line, column: word.column)
    }
}

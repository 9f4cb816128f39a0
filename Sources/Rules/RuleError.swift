/// A fault in a document of rules, with its position in the text.
public struct RuleError: Error, Equatable, Sendable {
    /// The line, from 1; lines end with a line feed.
    public let line: Int
    /// The column in the line, from 1, counting Unicode scalars as editors do.
    public let column: Int
    /// The problem, in Firebase's words if it has some.
    public let text: String
}

extension RuleError: CustomStringConvertible {
    /// The form in which Firebase reports it: `3:14: Unknown variable 'x'.`
    public var description: String { "\(line):\(column): \(text)" }
}

/// All faults of a document, in the order of the text; at least one.
public struct RulesetError: Error, Equatable, Sendable {
    /// The faults; at most one for each rule, and none behind text that is not JSON.
    public let errors: [RuleError]
}

/// A fault at a byte of some text, before its line and column are counted.
struct SourceError: Error, Equatable {
    let offset: Int
    let text: String
}

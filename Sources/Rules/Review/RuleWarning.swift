/// Something in a document that is legal and hardly meant.
public struct RuleWarning: Equatable, Sendable {
    /// The kind of the warning.
    public enum Code: String, Sendable {
        /// Every client may read, or write, the whole tree.
        case openRoot = "open-root"
        /// A grant, or a refusal, below a rule that grants the same already.
        case shadowed
        /// A rule that is never true.
        case neverTrue = "never-true"
        /// A grant to clients that are not signed in, because null equals null.
        case nullEqualsNull = "null-equals-null"
        /// Alternatives at the top of a regular expression that has an anchor.
        case anchor
        /// A document longer than Firebase takes.
        case size
    }

    /// The kind of the warning.
    public let code: Code
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// Its meaning, and the fix.
    public let text: String
}

extension RuleWarning: CustomStringConvertible {
    /// The place, the kind and the meaning.
    public var description: String { "\(line):\(column): \(text) [\(code.rawValue)]" }
}

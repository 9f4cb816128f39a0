/// What a rule decides.
public enum RuleKind: String, Equatable, Sendable {
    case read = ".read"
    case write = ".write"
    case validate = ".validate"
}

/// One rule of a document.
public struct Rule: Sendable {
    /// What it decides.
    public let kind: RuleKind
    /// Where it stands, with wildcards as they are written: `/users/$uid`.
    public let location: String
    /// The line of its expression in the document, from 1.
    public let line: Int
    /// The column of its expression in its line, from 1.
    public let column: Int
    let expression: Expression

    /// The expression as it was written.
    public var text: String { String(decoding: expression.source, as: UTF8.self) }
}

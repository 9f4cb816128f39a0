/// One rule of a document.
public struct Rule: Sendable {
    /// What it decides.
    public let kind: RuleKind
    /// Its location, with wildcards as written: `/users/$uid`.
    public let location: String
    /// The line of its expression in the document, from 1.
    public let line: Int
    /// The column of its expression in its line, from 1.
    public let column: Int
    let expression: Expression
    let program: Program

    init(_ kind: RuleKind, at location: String, line: Int, column: Int, expression: Expression) {
        (self.kind, self.location, self.line, self.column) = (kind, location, line, column)
        self.expression = expression
        program = Program(expression)
    }

    /// The expression as it was written.
    public var text: String { String(decoding: expression.source, as: UTF8.self) }
}

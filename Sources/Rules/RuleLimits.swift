/// How large rules and their work may be; each limit has an error of its own.
public enum RuleLimits {
    /// The longest document, in bytes.
    public static let documentBytes = 1 << 20
    /// The longest document without a warning, in bytes: Firebase's limit.
    public static let quietDocumentBytes = 256 << 10
    /// The most objects and arrays within each other in the text of a document.
    static let documentDepth = 64
    /// The most levels of rules below the root: that of the data.
    static let ruleDepth = 32
    /// The longest expression, in bytes.
    static let expressionBytes = 64 << 10
    /// The most parts of an expression.
    static let expressionNodes = 10_000
    /// The most parentheses, calls and operators within each other as an expression is written.
    static let expressionNesting = 128
    /// The greatest height of an expression's tree: a chain of `+` nests to the left.
    static let expressionHeight = 256
    /// The greatest count of a repetition in a regular expression.
    static let repetitions = 1_000
    /// The most states of a regular expression.
    static let patternStates = 10_000
    /// The most states of all regular expressions of a document.
    static let documentPatternStates = 1_000_000
    /// The most groups and repetitions within each other.
    static let patternNesting = 64
    /// The longest string that an expression may build, in bytes.
    static let stringBytes = 1 << 20
    /// The work that one evaluation of a rule may take, in units of `RuleWork`: some five milliseconds.
    static let evaluationUnits = 600_000
    /// The work that the rules of one operation may take, whatever it writes.
    static let operationUnits = 1_000_000
    /// The additional units for each written location.
    static let placeUnits = 256
    /// The additional units for each byte of a written string.
    static let textByteUnits = 6
    /// The limits of work in words.
    public static let limitOfWork =
        "\(evaluationUnits) units for one rule, \(operationUnits) for all and more for large writes"
    /// The work that the rules of the largest operation may take.
    static let workUnits = 16_000_000
}

/// An expression of rules by the definition: slow, and written without the parser and the evaluator of `Rules`, so that a
/// mistake there is no mistake here.
///
/// It covers the whole language. A rule that is read from text (`init(_:)`) has no regular expressions.
///
/// Source: `rules.md`.
public indirect enum NaiveRule: Sendable {
    case literal(NaiveResult)
    /// `auth`, `now`, `root`, `data`, `newData`, `query`, or a wildcard.
    case name(String)
    case member(NaiveRule, String)
    case index(NaiveRule, NaiveRule)
    case call(NaiveRule, String, [NaiveRule])
    case list([NaiveRule])
    /// The argument of `matches`.
    case pattern(NaivePattern)
    case not(NaiveRule)
    case negative(NaiveRule)
    case binary(String, NaiveRule, NaiveRule)
    case choice(NaiveRule, NaiveRule, NaiveRule)
}

extension NaiveRule {
    /// The binary operators, those that bind least first.
    static let levels = [
        ["||"], ["&&"], ["==", "!=", "===", "!=="], ["<", "<=", ">", ">="], ["+", "-"],
        ["*", "/", "%"],
    ]

    /// Whether it is `auth` or a part of it: all members of these are claims, `length`, too.
    var isOfAuth: Bool {
        switch self {
        case .name(let name): name == "auth"
        case .member(let object, _), .index(let object, _): object.isOfAuth
        default: false
        }
    }
}

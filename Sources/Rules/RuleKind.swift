/// The kind of decision of a rule.
public enum RuleKind: String, Equatable, Sendable {
    case read = ".read"
    case write = ".write"
    case validate = ".validate"
}

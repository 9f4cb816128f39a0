/// What a rule decides.
public enum RuleKind: String, Equatable, Sendable {
    case read = ".read"
    case write = ".write"
    case validate = ".validate"
}

/// Why a part of an expression has no value.
enum RuleFailure: Error, Equatable, Sendable {
    case noParent
    case noNumber
    case noString
    case notOrdered
    case notAdded
    case noValue
    case tooLong
    case exhausted

    /// The reason as a sentence's end, behind the part that failed.
    var text: String {
        switch self {
        case .noParent: "the root has no parent"
        case .noNumber: "an operand is not a number"
        case .noString: "a string is needed"
        case .notOrdered: "two numbers or two strings are needed"
        case .notAdded: "numbers or strings are needed"
        case .noValue: "a value is needed"
        case .tooLong: "the string is longer than \(RuleLimits.stringBytes) bytes"
        case .exhausted: "the rules of this operation take too much work"
        }
    }
}

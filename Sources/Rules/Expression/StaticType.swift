/// What an expression gives, as far as that is known before there is data.
enum StaticType: Equatable, Sendable {
    case boolean
    case number
    case string
    case null
    /// Of `val()` and `getPriority()`: anything that a place can hold.
    case value
    /// Of `auth` and of everything in it.
    case claim
    /// A bound or a limit of `query`, or null.
    case queryValue
    /// One of several types.
    case mixed
    case snapshot
    case query
    case array
    case pattern
    /// A method that is named and not called.
    case method

    /// Whether it can be compared with `==`.
    var isComparable: Bool {
        switch self {
        case .snapshot, .query, .array, .pattern, .method: false
        default: true
        }
    }

    /// Whether it may be a number or a string: an operand of `<` and of `+`.
    var mayBeOrdered: Bool { isComparable && self != .boolean && self != .null }

    /// Whether it may be a number.
    var mayBeNumber: Bool { mayBeOrdered && self != .string }

    /// Whether it may be a string.
    var mayBeString: Bool {
        switch self {
        case .string, .value, .claim, .mixed: true
        default: false
        }
    }

    /// What either of two branches gives.
    func joined(with other: StaticType) -> StaticType {
        if self == other { return self }
        let branches = [self, other]
        let isValue = branches.contains { $0 == .value || $0 == .string || $0 == .claim }
        return isValue ? .value : .mixed
    }
}

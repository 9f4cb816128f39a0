/// The type of an expression's result, as far as it is known without data.
enum StaticType: Equatable, Sendable {
    case boolean
    case number
    case string
    case null
    /// The result of `val()` and `getPriority()`: any value of a place.
    case value
    /// `auth`, or a part of it.
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

    /// Returns the type of the result of either of two branches.
    func joined(with other: StaticType) -> StaticType {
        if self == other { return self }
        let branches = [self, other]
        let isValue = branches.contains { $0 == .value || $0 == .string || $0 == .claim }
        return isValue ? .value : .mixed
    }
}

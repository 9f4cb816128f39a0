/// How one item compares with another.
public enum Order: Sendable {
    case before, same, after

    /// How two values compare.
    @inlinable
    public init<T: Comparable>(_ a: T, _ b: T) {
        self = a < b ? .before : b < a ? .after : .same
    }

    /// This order; if it is `same`, the next one.
    @inlinable
    public func or(_ next: @autoclosure () -> Order) -> Order {
        self == .same ? next() : self
    }
}

extension Value {
    /// How this value compares with another one in `orderByValue` and `orderByChild` and, as a priority, in
    /// `orderByPriority`. The value's own priority does not count.
    ///
    /// Null, placeholders, false, true, numbers, strings by UTF-16 code unit, objects. Two
    /// placeholders, and two objects, are the same here: keys break the tie. It is a total preorder,
    /// as long as doubles are numbers (`validate(at:)`). Source: `firebase-semantics.md`, rules V2-V5.
    ///
    /// - Complexity: O(length of two strings).
    public func order(to other: Value) -> Order {
        switch (content, other.content) {
        case (.integer(let a), .integer(let b)): Order(a, b)
        case (.string(let a), .string(let b)): a.utf16Order(to: b)
        case (.double(let a), .double(let b)): Order(a, b)
        case (.integer(let a), .double(let b)): Value.order(a, b)
        case (.double(let a), .integer(let b)): Value.order(b, a).reversed
        case (let a, let b): Order(a.orderOfKind, b.orderOfKind)
        }
    }

    /// Compares by double, as the clients do, and numbers that rounding made equal by their exact
    /// values. Otherwise 2^60 and 2^60 + 1 would both equal the double 2^60, but not each other.
    private static func order(_ integer: Int64, _ double: Double) -> Order {
        // Only 2^63 is a double that integers round to and no integer is.
        Order(Double(integer), double).or(
            double < 0x1p63 ? Order(integer, Int64(double)) : .before)
    }

    private var orderOfKind: Int {
        switch self {
        case .null: 0
        case .deferred: 1
        case .boolean(false): 2
        case .boolean(true): 3
        case .integer, .double: 4
        case .string: 5
        case .object: 6
        case .prioritized(let value): value.content.orderOfKind
        }
    }
}

extension Order {
    /// The opposite order.
    public var reversed: Order {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}

extension String {
    /// Compares by UTF-16 code unit, as JavaScript does; the same means equal bytes.
    ///
    /// - Complexity: O(length of the common start), eight bytes a step.
    package func utf16Order(to other: String) -> Order {
        let mine = utf8Span.span
        let others = other.utf8Span.span
        let shared = min(mine.count, others.count)
        var index = 0
        while index + 8 <= shared,
            mine.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                == others.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
            index += 8
        }
        while index < shared, mine[index] == others[index] { index += 1 }
        if index == shared { return Order(mine.count, others.count) }
        return Order(SortForm.byte(mine[index]), SortForm.byte(others[index]))
    }
}

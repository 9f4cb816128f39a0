/// A number as Firebase's native clients hold it: a 64-bit integer, or a double.
public enum Number: Sendable {
    case integer(Int64)
    case double(Double)

    public var asDouble: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    /// The number as a value in its one form: whole numbers that a double holds exactly are
    /// integers, so that 1 and 1.0 are the same data.
    public var value: Value {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number):
            if let whole = Int64(exactly: number), whole.magnitude <= 1 << 53,
                !(whole == 0 && number.sign == .minus)
            {
                .integer(whole)
            } else {
                .double(number)
            }
        }
    }

    /// An integer sum of integers unless it overflows, otherwise a double sum.
    ///
    /// Source: `firebase-semantics.md`, rule SV3.
    public static func + (a: Number, b: Number) -> Number {
        if case (.integer(let x), .integer(let y)) = (a, b) {
            let (sum, overflow) = x.addingReportingOverflow(y)
            if !overflow { return .integer(sum) }
        }
        return .double(a.asDouble + b.asDouble)
    }
}

extension Number: Equatable {
    public static func == (a: Number, b: Number) -> Bool { a.value == b.value }
}

/// A number as Firebase's native clients hold it: a 64-bit integer, or a double.
public enum Number: Sendable {
    case integer(Int64)
    case double(Double)

    /// The nearest floating-point number.
    public var asDouble: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    /// The number as a value in its one form: whole numbers of 64 bits are integers, so that 1 and
    /// 1.0 are the same data, in memory as in JSON.
    public var value: Value {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number):
            if let whole = Number.whole(number) {
                .integer(whole)
            } else {
                .double(number)
            }
        }
    }

    /// The number as an integer, if it is one of 64 bits and is not -0.
    private static func whole(_ number: Double) -> Int64? {
        guard number.magnitude < 0x1p63 else { return nil }
        let whole = Int64(number)
        return Double(whole).bitPattern == number.bitPattern ? whole : nil
    }

    /// An integer sum of integers unless it overflows, otherwise a double sum, which stops at the
    /// greatest finite double: infinity is not data.
    ///
    /// Source: `firebase-semantics.md`, rule SV3.
    public static func + (a: Number, b: Number) -> Number {
        if case (.integer(let x), .integer(let y)) = (a, b) {
            let (sum, overflow) = x.addingReportingOverflow(y)
            if !overflow { return .integer(sum) }
        }
        let limit = Double.greatestFiniteMagnitude
        return .double(min(max(a.asDouble + b.asDouble, -limit), limit))
    }
}

extension Number: Equatable {
    /// Whether both are the same number, whatever their form.
    public static func == (a: Number, b: Number) -> Bool { a.value == b.value }
}

internal import CommandLineKit
internal import DataTree
internal import JSONText

/// The function of a transaction: `value + 1`, or `"open" -> "closed"`.
///
/// Arithmetic counts anything but a number as 0; compare-and-set gives up unless the value is equal
/// to the first one.
enum TransactionExpression: Equatable {
    case arithmetic(Operator, Number)
    case compareAndSet(old: Value, new: Value)

    enum Operator: String, CaseIterable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case maximum = "max"
        case minimum = "min"
    }

    /// - Throws: a usage error that shows both forms.
    init(_ text: String) throws(CommandError) {
        if let comparison = TransactionExpression.compareAndSet(text) {
            self = comparison
            return
        }
        let words = text.split(separator: " ")
        guard words.count == 3, words[0] == "value", let operation = Operator(String(words[1])),
            let operand = (try? JSONReader().parse(String(words[2])))?.number
        else {
            throw CommandError(
                .usage, "'\(text)' is not an expression of a transaction",
                fix: "write 'value + 1' (or -, *, max, min), or 'OLD -> NEW' with two JSON values")
        }
        self = .arithmetic(operation, operand)
    }

    /// Two JSON values with an arrow between, which text within them may contain, too.
    private static func compareAndSet(_ text: String) -> TransactionExpression? {
        let arrow = "->"
        for start in text.indices where text[start...].hasPrefix(arrow) {
            let rest = text.index(start, offsetBy: arrow.count)
            if let old = try? JSONReader().parse(String(text[..<start])),
                let new = try? JSONReader().parse(String(text[rest...]))
            {
                return .compareAndSet(old: old, new: new)
            }
        }
        return nil
    }

    /// Whether a committed value is a result of the expression.
    func accepts(_ value: Value) -> Bool {
        switch self {
        case .compareAndSet(_, let new): value == new
        case .arithmetic: true
        }
    }

    /// The new value, or nil to give up.
    func applied(to value: Value) -> Value? {
        switch self {
        case .compareAndSet(let old, let new):
            if value == old { return new }
            // Null may only mean that the value is not known here yet; putting null then fetches it.
            return value.isNull ? .some(.null) : .none
        case .arithmetic(let operation, let operand):
            return operation.applied(to: value.number ?? .integer(0), operand).value
        }
    }
}

extension TransactionExpression.Operator {
    fileprivate init?(_ text: String) { self.init(rawValue: text) }

    fileprivate func applied(to number: Number, _ operand: Number) -> Number {
        switch (number, operand) {
        case (.integer(let a), .integer(let b)):
            let (result, overflow) = applied(to: a, b)
            return overflow ? .double(applied(to: Double(a), Double(b))) : .integer(result)
        default:
            return .double(applied(to: number.asDouble, operand.asDouble))
        }
    }

    private func applied(to a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) {
        switch self {
        case .plus: a.addingReportingOverflow(b)
        case .minus: a.subtractingReportingOverflow(b)
        case .times: a.multipliedReportingOverflow(by: b)
        case .maximum: (max(a, b), false)
        case .minimum: (min(a, b), false)
        }
    }

    private func applied(to a: Double, _ b: Double) -> Double {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .maximum: max(a, b)
        case .minimum: min(a, b)
        }
    }
}

public import DataTree
import QueryEngine
public import Rules

/// The value of an expression; nil stands for a failure.
public enum NaiveResult: Sendable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    /// A value with children or members. It equals no value.
    case object
    /// A part of `auth` that is no constant.
    case claims(Claim)
    /// A place in a tree.
    case place(Value, [String])
    case query
    case list([NaiveResult])
}

extension NaiveResult: Equatable {
    /// Whether both are the same constant: no object is equal to anything, and texts are by their units.
    public static func == (a: NaiveResult, b: NaiveResult) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.truth(let x), .truth(let y)): x == y
        case (.number(let x), .number(let y)): x == y
        case (.text(let x), .text(let y)): Array(x.utf16) == Array(y.utf16)
        default: false
        }
    }
}

extension NaiveResult {
    /// What `val()` gives.
    init(_ value: Value) {
        switch value.content {
        case .null: self = .null
        case .boolean(let value): self = .truth(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let value): self = .text(value)
        default: self = .object
        }
    }

    init(_ claim: Claim) {
        switch claim {
        case .null: self = .null
        case .boolean(let value): self = .truth(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .array, .object: self = .claims(claim)
        }
    }

    /// A property of `query`.
    init?(_ name: String, of query: Query) {
        let isOne = query.start != nil && query.start == query.end && query.start!.isInclusive
        switch name {
        case "orderByKey": self = .truth(query.order == .key)
        case "orderByValue": self = .truth(query.order == .value)
        case "orderByPriority": self = .truth(query.order == .priority)
        case "orderByChild":
            guard case .child(let path) = query.order else {
                self = .null
                return
            }
            self = .text(path.keys.map(\.text).joined(separator: "/"))
        case "startAt": self = isOne ? .null : NaiveResult(bound: query.start)
        case "endAt": self = isOne ? .null : NaiveResult(bound: query.end)
        case "equalTo": self = isOne ? NaiveResult(bound: query.start) : .null
        case "limitToFirst", "limitToLast":
            guard let limit = query.limit, limit.isFirst == (name == "limitToFirst") else {
                self = .null
                return
            }
            self = .number(Double(limit.count))
        default: return nil
        }
    }

    private init(bound: Query.Bound?) { self = bound.map { NaiveResult($0.value) } ?? .null }

    /// Its text when it is added to a string.
    var addend: String? {
        switch self {
        case .text(let text): text
        case .number(let number): number.naiveText
        default: nil
        }
    }

    var isText: Bool { if case .text = self { true } else { false } }
}

extension Double {
    /// The number as it is added to a string; of very large and very small ones this is not what JavaScript has.
    var naiveText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        return Int(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}

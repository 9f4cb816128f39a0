internal import DataTree
internal import JSONText

/// The result of a part of an expression: a value or a place; in traces also a failure, which makes
/// the whole rule fail.
enum RuleValue: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    /// The result of `val()` at a place with children: not null, and equal to nothing.
    case object
    case claim(Claim)
    case snapshot(RuleSnapshot)
    case failure(RuleFailure)

    init(_ claim: Claim) {
        switch claim {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array, .object: self = .claim(claim)
        }
    }

    /// What `val()` gives.
    init(_ value: Value) {
        switch value.content {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .object: self = .object
        case .prioritized, .deferred:
            preconditionFailure("rules judge a write once its server values are resolved")
        }
    }

    /// Whether it is the boolean `true`.
    var isTrue: Bool {
        if case .boolean(let value) = self { value } else { false }
    }

    /// The text, if it is a string.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The failure, if it is one.
    var failure: RuleFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    /// Whether two values are equal; never converts, and no object equals anything.
    static func areEqual(_ a: RuleValue, _ b: RuleValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let x), .boolean(let y)): x == y
        case (.number(let x), .number(let y)): x == y
        case (.string(let x), .string(let y)): hasSameBytes(x, y)
        default: false
        }
    }
}

// MARK: - As text

extension RuleValue: CustomStringConvertible {
    /// The value as JSON, shortened; for reasons.
    var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value): RuleValue.text(of: value)
        case .string(let value): RuleValue.quoted(value)
        case .object, .claim: "an object"
        // Traces record what is at a place.
        case .snapshot(.found(let value, _)): RuleValue(value).description
        case .snapshot: "a place"
        case .failure(let failure): "an error: \(failure.text)"
        }
    }

    /// A number as JavaScript prints it.
    static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return JSONWriter.javaScriptText(of: number)
    }

    private static func quoted(_ text: String) -> String {
        let isLong = text.utf8.count > 80
        let start = isLong ? String(text.unicodeScalars.prefix(60).map(Character.init)) : text
        return JSONWriter.text(of: .string(start)) + (isLong ? "…" : "")
    }
}

import Testing

@testable import Rules

/// One of the worked cases of the specification.
struct WorkedCase: CustomTestStringConvertible, Sendable {
    enum Operation: Sendable {
        case read(String, QueryShape = QueryShape())
        case set(String, String)
        case update([(path: String, value: String)])
    }

    let number: Int
    let rules: String
    var stored = "null"
    var auth = Claim.null
    let operation: Operation
    let isAllowed: Bool

    var testDescription: String { "\(number): \(operation)" }

    func trace() throws -> RuleTrace {
        let bench = Bench(rules: rules, stored: stored, auth: auth)
        switch operation {
        case .read(let path, let query): return try bench.read(path, query)
        case .set(let path, let value): return try bench.set(path, value)
        case .update(let changes): return try bench.write(changes)
        }
    }
}

extension WorkedCase {
    static func allow(
        _ number: Int, _ rules: String, stored: String = "null", as auth: Claim = .null,
        _ operation: Operation
    ) -> WorkedCase {
        WorkedCase(
            number: number, rules: rules, stored: stored, auth: auth, operation: operation,
            isAllowed: true)
    }

    static func deny(
        _ number: Int, _ rules: String, stored: String = "null", as auth: Claim = .null,
        _ operation: Operation
    ) -> WorkedCase {
        WorkedCase(
            number: number, rules: rules, stored: stored, auth: auth, operation: operation,
            isAllowed: false)
    }
}

extension QueryShape {
    /// A shape with some members changed.
    static func with(_ change: (inout QueryShape) -> Void) -> QueryShape {
        var query = QueryShape()
        change(&query)
        return query
    }
}

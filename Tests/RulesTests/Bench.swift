import DataTree
import JSONText

@testable import Rules

/// A document of rules, a tree, a user and a time, by which a test evaluates requests.
struct Bench {
    var rules: String
    var stored = "null"
    var auth = Claim.null
    var now = 1_700_000_000_000.0

    /// The document, of which `rules` is what stands under `rules`.
    var ruleset: Ruleset {
        get throws { try Ruleset(Array("{\"rules\":\(rules)}".utf8)) }
    }

    var data: Value {
        get throws { try JSONReader().parse(stored) }
    }

    func read(_ path: String, _ query: QueryShape = QueryShape()) throws -> RuleTrace {
        let situation = RuleSituation(auth: auth, now: now, data: try data, query: query)
        return try trace(.read(Path(path)), situation)
    }

    func set(_ path: String, _ value: String) throws -> RuleTrace {
        try write([(path, value)])
    }

    /// Replaces what is at each path.
    func write(_ changes: [(path: String, value: String)]) throws -> RuleTrace {
        let before = try data
        var after = before
        for change in changes {
            let path = try Path(change.path)
            let value = try JSONReader().parse(change.value)
            after.set(value.resolved(at: UInt64(now), against: before[path]), at: path)
        }
        let situation = RuleSituation(auth: auth, now: now, before: before, after: after)
        let paths = try changes.map { try Path($0.path) }
        return try trace(paths.count == 1 ? .write(paths[0]) : .update(paths), situation)
    }

    private func trace(_ operation: RuleOperation, _ situation: RuleSituation) throws -> RuleTrace {
        let trace = try ruleset.trace(operation, in: situation)
        let verdict = try ruleset.evaluate(operation, in: situation)
        precondition(verdict == trace.verdict, "a trace changes the verdict on \(operation)")
        return trace
    }
}

extension Claim {
    static let u1 = Claim.user("u1")

    /// A user with claims in the token.
    static func token(_ claims: Claim.Member...) -> Claim {
        Claim(members: [
            Claim.Member("uid", .string("u1")), Claim.Member("token", Claim(members: claims)),
        ])
    }
}

/// The fault that a document of rules is refused with, or nil.
func fault(_ document: String) -> String? {
    do throws(RulesetError) {
        _ = try Ruleset(Array(document.utf8))
        return nil
    } catch {
        return error.errors.map(\.text).joined(separator: "\n")
    }
}

/// The fault of an expression at `.write` of /a, or nil.
func fault(write expression: String) -> String? {
    fault("{\"rules\":{\"a\":{\".write\":\(quoted(expression))}}}")
}

/// A text as JSON.
func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }

extension Path {
    /// A path that is known to be valid: a literal of a test.
    static func at(_ text: String) -> Path { try! Path(text) }
}

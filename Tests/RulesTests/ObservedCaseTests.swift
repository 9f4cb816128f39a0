import DataTree
import Foundation
import JSONText
import Testing

@testable import Rules

private let file = ProcessInfo.processInfo.environment["HEARTH_RULES_CASES"]

/// Verdicts that Firebase's service was seen to give, in the file that `HEARTH_RULES_CASES` names.
@Suite(.enabled(if: file != nil, "set HEARTH_RULES_CASES to the path of rules-observed.json"))
struct `Observed verdicts` {
    struct Case: Decodable {
        let description: String
        let expectation: String
        let operation: String
        let opPath: String
        let authPresent: Bool
    }

    struct RuleSet: Decodable {
        let id: String
        let cases: [Case]
    }

    static let user = Claim(members: [
        .init("uid", .string("u1")), .init("provider", .string("anonymous")),
        .init(
            "token",
            Claim(members: [
                .init(
                    "firebase",
                    Claim(members: [.init("sign_in_provider", .string("anonymous"))]))
            ])),
    ])

    @Test func `are those of this implementation`() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file!))
        let sets = try JSONDecoder().decode([RuleSet].self, from: data)
        let raw = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        var count = 0
        for (set, raw) in zip(sets, raw) {
            let rules = try text(of: raw["rules"])
            let cases = try #require(raw["cases"] as? [[String: Any]])
            for (example, raw) in zip(set.cases, cases) {
                let trace = try judge(example, raw, rules)
                #expect(
                    trace.verdict.isAllowed == (example.expectation == "ALLOW"),
                    "\(set.id): \(example.description): \(trace.explanation)")
                count += 1
            }
        }
        #expect(count > 40)
    }

    private func judge(_ example: Case, _ raw: [String: Any], _ rules: String) throws -> RuleTrace {
        let path = example.opPath.replacing("<UID>", with: "u1")
        var bench = Bench(rules: rules, auth: example.authPresent ? Self.user : .null)
        var stored = Value.null
        for (place, value) in raw["seed"] as? [String: Any] ?? [:] {
            stored.set(try parsed(value), at: try Path(place.replacing("<UID>", with: "u1")))
        }
        if let value = raw["mockData"] { stored.set(try parsed(value), at: try Path(path)) }
        bench.stored = JSONWriter.text(of: stored, form: .export)
        bench.now = 1_790_000_000_000
        switch example.operation {
        case "read": return try bench.read(path)
        case "update":
            let members = raw["newData"] as? [String: Any] ?? [:]
            let changes = try members.sorted { $0.key < $1.key }
                .map { (path: "\(path)/\($0.key)", value: try text(of: $0.value)) }
            return try bench.write(changes)
        default: return try bench.set(path, try text(of: raw["newData"]))
        }
    }

    private func parsed(_ value: Any) throws -> Value {
        try JSONReader().parse(try text(of: value))
    }

    private func text(of value: Any?) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: value ?? NSNull(), options: [.fragmentsAllowed])
        return String(decoding: data, as: UTF8.self).replacing("<UID>", with: "u1")
    }
}

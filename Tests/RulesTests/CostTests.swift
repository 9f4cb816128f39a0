import DataTree
import Testing

@testable import Rules

/// What a verdict costs: the rules on the path and what is written, never the tree.
@Suite struct `The cost of a verdict` {
    private func evaluations(_ trace: RuleTrace) -> Int { trace.evaluations.count }

    /// A thousand children with ten members each.
    static let wide: String = {
        let member = (0..<10).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        return "{\"list\":{" + (0..<1000).map { "\"k\($0)\":{\(member)}" }.joined(separator: ",")
            + "}}"
    }()

    static let rules = """
        {"list":{".write":true,".validate":"newData.hasChildren()",
          "$k":{"m1":{".validate":"newData.isNumber()"}}}}
        """

    @Test func `follows the path and what is written`() throws {
        let bench = Bench(rules: Self.rules, stored: Self.wide)
        #expect(evaluations(try bench.set("/list/k7/m1", "2")) == 3)
        #expect(evaluations(try bench.set("/list/k7/m2", "2")) == 2)
        #expect(evaluations(try bench.set("/list/k7", #"{"m1":1,"m2":2}"#)) == 3)
        #expect(evaluations(try bench.set("/list/k7", "null")) == 2)
        #expect(evaluations(try bench.set("/list", #"{"a":{"m1":1},"b":{"m1":2},"c":1}"#)) == 4)
    }

    @Test func `counts the ancestors of an update once`() throws {
        let bench = Bench(rules: Self.rules, stored: Self.wide)
        let changes = (0..<100).map { (path: "/list/k\($0)/m1", value: "5") }
        #expect(evaluations(try bench.write(changes)) == 102)
    }

    @Test func `leaves out written trees without rules`() throws {
        let bench = Bench(rules: #"{"list":{".write":true,"a":{".validate":"true"}}}"#)
        #expect(evaluations(try bench.set("/list", #"{"a":1,"b":{"c":{"d":1}}}"#)) == 2)
    }

    @Test func `is bounded for a write of many nodes`() throws {
        let bench = Bench(
            rules:
                #"{".write":true,"$a":{"$b":{".validate":"newData.val() != 'x' && newData.val() != 'y'"}}}"#
        )
        var before = Value.null
        for index in 0..<400_000 {
            before.set(
                .integer(1),
                at: Path([Key(unchecked: "a\(index / 1000)"), Key(unchecked: "b\(index)")]))
        }
        let situation = RuleSituation(auth: .null, now: 0, before: .null, after: before)
        #expect(try bench.ruleset.judge(.write(.root), in: situation) == .denied(.exhausted))
    }
}

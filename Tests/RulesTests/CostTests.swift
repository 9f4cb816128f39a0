import DataTree
import Testing

@testable import Rules

/// The cost of a verdict depends on the rules of the path and on the written values, never on the tree.
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
        #expect(try bench.ruleset.evaluate(.write(.root), in: situation) == .denied(.exhausted))
    }

    @Test func `is bounded for one evaluation, whatever the operation may take`() throws {
        let search = #""newData.val().matches(/(a?){900}x/)""#
        let bench = Bench(rules: #"{".write":true,"$k":{".validate":\#(search)}}"#)
        let long = "\"" + String(repeating: "a", count: 15_000) + "\""
        let trace = try bench.set("/a", long)
        #expect(trace.verdict == .denied(.exhausted))
        #expect((600_000...700_000).contains(trace.units), "\(trace.units)")
        let short = "\"" + String(repeating: "a", count: 100) + "x\""
        #expect(try bench.set("/a", short).verdict == .allowed)
        let changes = (0..<10).map { (path: "/k\($0)", value: short) }
        let many = try bench.write(changes)
        #expect(many.verdict == .denied(.exhausted))
        #expect((1_000_000...1_100_000).contains(many.units), "\(many.units)")
    }

    @Test func `grows with what is written`() throws {
        let bench = Bench(
            rules:
                #"{".write":true,"$k":{".validate":"newData.val().matches(/^[a-z ]+$/) && newData.val() != 'x'"}}"#
        )
        let changes = (0..<10_000).map { (path: "/k\($0)", value: #""some text""#) }
        let trace = try bench.write(changes)
        #expect(trace.verdict == .allowed)
        #expect(trace.units > 1_000_000, "\(trace.units)")
        let long = "\"" + String(repeating: "a", count: 1_000_000) + "\""
        #expect(try bench.set("/a", long).verdict == .allowed)
    }
}

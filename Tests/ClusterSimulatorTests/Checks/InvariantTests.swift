import DataTree
import JSONText
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// The claims of scenarios about their own data.
@Suite struct InvariantTests {
    private func invariant(_ line: String) throws -> Invariant {
        let scenario = try Scenario(parsing: "check \(line)", name: "test")
        return try #require(scenario.invariants.first)
    }

    private func violation(
        of line: String, in texts: [String]
    ) throws -> [String?] {
        var state = InvariantState(try invariant(line))
        return try texts.map { text in
            state.evaluate(try JSONReader().parse(text)).map { "\($0.place) \($0.found)" }
        }
    }

    @Test(arguments: [
        ("every /a/$id/n >= 0", "{\"a\":{\"x\":{\"n\":0},\"y\":{\"m\":-1}}}", nil),
        ("every /a/$id/n >= 0", "{\"a\":{\"x\":{\"n\":0},\"y\":{\"n\":-1}}}", "/a/y/n is -1"),
        ("every /a/$id/n >= 0", "{\"a\":{\"x\":{\"n\":\"0\"}}}", "/a/x/n is \"0\""),
        ("every /a/$id/n >= 0", "{\"a\":{\"x\":{\"n\":{\"k\":1}}}}", "/a/x/n is {k: 1}"),
        ("every /a/$id : data.hasChild('n')", "{\"a\":{\"x\":{\"n\":1}}}", nil),
        ("every /a/$id : data.hasChild('n')", "{\"a\":{\"x\":1}}", "/a/x is 1"),
        ("every /a/$id/n : data.exists()", "{\"a\":{\"x\":1}}", "/a/x/n is null"),
        ("every /limit : data.exists()", "null", "/limit is null"),
        ("every /$a/$b : $a != $b", "{\"x\":{\"y\":1}}", nil),
        ("every /$a/$b : $a != $b", "{\"x\":{\"x\":1}}", "/x/x is 1"),
        (
            "every /n/$id : data.val() <= root.child('max').val()", "{\"max\":3,\"n\":{\"a\":3}}",
            nil
        ),
        (
            "every /n/$id : data.val() <= root.child('max').val()", "{\"max\":2,\"n\":{\"a\":3}}",
            "/n/a is 3"
        ),
        ("count /jobs <= 2", "{\"jobs\":{\"a\":1,\"b\":1}}", nil),
        ("count /jobs <= 2", "{\"jobs\":{\"a\":1,\"b\":1,\"c\":1}}", "/jobs has 3 children"),
        (
            "count /rooms/$id == 1", "{\"rooms\":{\"r\":{\"a\":1},\"s\":{\"a\":1,\"b\":2}}}",
            "/rooms/s has 2 children"
        ),
        ("sum /a/$id/n == 3", "{\"a\":{\"x\":{\"n\":1},\"y\":{\"n\":2},\"z\":{\"n\":\"5\"}}}", nil),
        ("sum /a/$id/n == 3", "{\"a\":{\"x\":{\"n\":1},\"y\":{\"n\":2.5}}}", "/ the sum is 3.5"),
        ("sum /a/$id/n == 3", "null", nil),
    ])
    func `a claim is judged at each of its places`(
        line: String, tree: String, problem: String?
    ) throws {
        #expect(try violation(of: line, in: [tree]) == [problem])
    }

    @Test func `a place that an expression looks at beyond its own is judged when that changes`()
        throws
    {
        let found = try violation(
            of: "every /n/$id : data.val() <= root.child('max').val()",
            in: ["{\"max\":3,\"n\":{\"a\":3}}", "{\"max\":2,\"n\":{\"a\":3}}"])
        #expect(found == [nil, "/n/a is 3"])
    }

    @Test func `a number that is no whole one counts only while it is there`() throws {
        let found = try violation(
            of: "sum /$id == 1", in: ["{\"a\":0.5,\"b\":0.5}", "{\"a\":0.5}", "{\"b\":1}"])
        #expect(found == [nil, "/ the sum is 0.5", nil])
    }

    @Test(arguments: [
        "every /a/$id/n >= 0", "every /a/$id/n : data.exists()", "count /a/$id <= 1",
        "sum /a/$id/n <= 4", "every /$x/$y/$z != 3",
    ])
    func `judging what changed finds what judging everything finds`(line: String) throws {
        let invariant = try invariant(line)
        var random = SplitMix64(seed: 11)
        var (tree, state) = (Value.null, InvariantState(invariant))
        for _ in 0..<3_000 {
            var path = Path([Key(unchecked: ["a", "b"][random.index(below: 2)])])
            for _ in 0..<random.index(below: 3) {
                path = path.appending(Key(unchecked: ["k", "l", "n"][random.index(below: 3)]))
            }
            let number = Int64(random.index(below: 6)) - 1
            let before = tree
            tree.set(number == 4 ? .null : .integer(number), at: path)
            if tree == before { continue }
            var fresh = InvariantState(invariant)
            // A value that was wrong before and stays wrong is not reported: only changes are.
            let (found, all) = (state.evaluate(tree), fresh.evaluate(tree))
            if let found { #expect(all != nil, "\(found)") }
            if all == nil { #expect(found == nil) }
            if let all, found == nil { #expect(!isNew(all.place, before, tree), "\(all)") }
            if all != nil { state = fresh }
        }
    }

    /// Whether a place shows something else, or is one of the pattern only now.
    private func isNew(_ place: Path, _ before: Value, _ after: Value) -> Bool {
        let above = place.parent ?? .root
        return before[place] != after[place] || before[above].isNull != after[above].isNull
    }
}

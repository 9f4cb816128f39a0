import DataTree
import Testing

@testable import Rules

/// The counts of each rule's results while operations are evaluated.
@Suite struct `Coverage` {
    private static let document = """
        {"rules": {"users": {"$u": {".read": "auth.uid == $u", ".write": "auth.uid == $u || data.val() < 3",
        "n": {".validate": "newData.isNumber() && newData.val() < 9"}}}}}
        """

    private func ruleset() throws -> Ruleset { try Ruleset(Array(Self.document.utf8)) }

    private func write(_ value: Value, at path: Path, by uid: String) -> RuleSituation {
        RuleSituation(
            auth: .user(uid), now: 0, before: .null, write: RuleWrite(value, at: path))
    }

    @Test func `is what each part of each evaluated rule came to`() throws {
        let ruleset = try ruleset()
        var coverage = RuleCoverage(of: ruleset)
        var units = 0
        let (own, number) = (try Path("users/u1"), try Path("users/u1/n"))
        let operations: [(RuleOperation, RuleSituation)] = [
            (.write(number), write(.integer(1), at: number, by: "u1")),
            (.write(number), write(.string("x"), at: number, by: "u1")),
            (.write(own), write(.object(named: [("n", .integer(10))]), at: own, by: "u1")),
            (.write(number), write(.integer(1), at: number, by: "u2")),
        ]
        let verdicts = operations.map {
            ruleset.evaluate($0.0, in: $0.1, counting: &coverage, spending: &units).isAllowed
        }
        #expect(verdicts == [true, false, false, false])
        #expect(ruleset.rules.map(\.kind) == [.read, .write, .validate])
        #expect(coverage.parts(ofRule: 0).map(\.counts.isEmpty) == [true])
        let parts = (1...2).flatMap { coverage.parts(ofRule: $0) }
        #expect(
            parts.map { "\($0.text): \($0.counts.isTrue) \($0.counts.isFalse) \($0.counts.fails)" }
                == [
                    "auth.uid == $u: 3 1 0", "data.val() < 3: 0 0 1",
                    "auth.uid == $u || data.val() < 3: 3 0 1",
                    "newData.isNumber(): 2 1 0", "newData.val() < 9: 1 1 0",
                    "newData.isNumber() && newData.val() < 9: 1 2 0",
                ])
        #expect(parts.map(\.gap) == [nil, "always failed", "was never false", nil, nil, nil])
        #expect(coverage.counts(ofRule: 2).isFalse == 2)
        #expect(coverage.outcomes.seen == 9 && coverage.outcomes.all == 14)
    }

    @Test(arguments: [("u1", true), ("u2", false)])
    func `has reads as well`(uid: String, isAllowed: Bool) throws {
        let ruleset = try ruleset()
        var coverage = RuleCoverage(of: ruleset)
        var units = 0
        let situation = RuleSituation(auth: .user(uid), now: 0, data: .null)
        let path = try Path("users/u1/n")
        let grant = ruleset.grant(
            reading: path, in: situation, counting: &coverage, spending: &units)
        #expect((grant != nil) == isAllowed)
        #expect(coverage.counts(ofRule: 0).isTrue == (isAllowed ? 1 : 0))
        #expect(coverage.counts(ofRule: 0).isFalse == (isAllowed ? 0 : 1))
    }

    @Test(arguments: 0..<5)
    func `changes no verdict, and counts what a trace says`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 77)
        let conditions = [
            "newData.isNumber()", "newData.hasChildren(['a'])", "newData.val() < 3", "true",
            "newData.val().length == 1", "data.exists() || newData.exists()",
        ]
        for _ in 0..<200 {
            let (x, a) = (
                conditions.randomElement(using: &random)!, conditions.randomElement(using: &random)!
            )
            let document =
                #"{"rules":{"$w":{".write":"$w == 'x'",".validate":"\#(x)","$k":{".validate":"\#(a)"}}}}"#
            let ruleset = try Ruleset(Array(document.utf8))
            let path = try Path(["x", "y", "x/a"].randomElement(using: &random)!)
            let situation = write(.random(&random, depth: 2), at: path, by: "u")
            var units = 0
            var (counted, traced) = (RuleCoverage(of: ruleset), RuleCoverage(of: ruleset))
            let verdict = ruleset.evaluate(
                .write(path), in: situation, counting: &counted, spending: &units)
            #expect(verdict == ruleset.evaluate(.write(path), in: situation))
            traced.add(ruleset.trace(.write(path), in: situation))
            for rule in ruleset.rules.indices {
                #expect(
                    counted.parts(ofRule: rule).map(\.counts)
                        == traced.parts(ofRule: rule).map(\.counts), "\(document)")
            }
        }
    }
}

import DataTree
import Testing

@testable import Rules

/// A write that is described by what it writes, and not by the tree that it makes.
@Suite struct `A situation of writes` {
    private static let keys = ["a", "b", "c"].map { Key(unchecked: $0) }
    private static let conditions = [
        "true", "newData.exists()", "!newData.exists()", "newData.isNumber()",
        "newData.hasChildren(['a'])", "newData.hasChild('a/b')", "newData.getPriority() == 1",
        "newData.parent().child('b').exists()", "newData.child('a').parent().child('c').exists()",
        "newData.parent().parent().hasChildren(['a', 'c'])", "newData.val() != data.val()",
        "root.child('a').child('b').exists()", "newData.child('x').parent().parent().isNumber()",
    ]

    private func rules(_ random: inout TestRandom, depth: Int = 3) -> String {
        var members: [String] = []
        for kind in [".write", ".validate"] where Int.random(in: 0..<2, using: &random) == 0 {
            members.append(
                "\"\(kind)\":\"\(Self.conditions.randomElement(using: &random)!)\"")
        }
        if depth > 0 {
            for key in ["a", "b", "$k\(depth)"] where Bool.random(using: &random) {
                members.append("\"\(key)\":\(rules(&random, depth: depth - 1))")
            }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private func write(_ random: inout TestRandom) -> RuleWrite {
        var path = Path.root
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            path.keys.append(Self.keys.randomElement(using: &random)!)
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            return RuleWrite(.integer(1), at: path.appending(.priority))
        }
        return RuleWrite(.random(&random, depth: 2), at: path)
    }

    @Test(arguments: 0..<10)
    func `gets the verdict of the tree that they make`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 321)
        var verdicts = (allowed: 0, denied: 0)
        for _ in 0..<400 {
            let ruleset = try Ruleset(Array("{\"rules\":\(rules(&random))}".utf8))
            let before = Value.random(&random, depth: 3)
            let writes = (0..<Int.random(in: 1...3, using: &random)).map { _ in write(&random) }
            var after = before
            for write in writes { after.set(write.value, at: write.path) }
            let paths = writes.map(\.path)
            let operation = RuleOperation.update(paths)
            let expected = ruleset.evaluate(
                operation, in: RuleSituation(auth: .null, now: 0, before: before, after: after))
            let situation = RuleSituation(auth: .null, now: 0, before: before, update: writes)
            #expect(situation.after == after)
            #expect(ruleset.evaluate(operation, in: situation) == expected, "\(writes)")
            let backwards = RuleOperation.update(paths.reversed())
            #expect(ruleset.evaluate(backwards, in: situation) == expected, "\(writes)")
            if paths.count == 1 {
                let single = RuleSituation(auth: .null, now: 0, before: before, write: writes[0])
                #expect(single.after == after)
                #expect(ruleset.evaluate(.write(paths[0]), in: single) == expected, "\(writes)")
            }
            if expected.isAllowed { verdicts.allowed += 1 } else { verdicts.denied += 1 }
        }
        #expect(min(verdicts.allowed, verdicts.denied) > 30, "\(verdicts)")
    }
}

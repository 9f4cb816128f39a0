import DataTree
import Testing

@testable import Rules

/// Random rules on random trees, against the definition.
@Suite struct `Random rules` {
    @Test(arguments: 0..<20)
    func `evaluate as the definition says`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 77)
        var results = (isTrue: 0, isFalse: 0, fails: 0)
        for _ in 0..<400 {
            let naive = NaiveExpression.truth(&random, depth: 4)
            let document = "{\"rules\":{\"a\":{\".write\":\(quoted(naive.text))}}}"
            let ruleset = try Ruleset(Array(document.utf8))
            let before = Value.random(&random, depth: 3)
            var after = before
            after.set(Value.random(&random, depth: 2), at: .at("/a/b"))
            let situation = RuleSituation(auth: .null, now: 0, before: before, after: after)
            let trace = ruleset.trace(.write(.at("/a/b")), in: situation)
            let truth = naive.truth(NaiveScene(before: before, after: after, key: "a"))
            #expect(trace.verdict.isAllowed == (truth == true), "\(naive.text)")
            let root = ruleset.rules[0].expression.root
            #expect(
                (trace.evaluations[0].values[root]?.failure != nil) == (truth == nil),
                "\(naive.text)")
            let outcomes = ruleset.rules[0].expression.outcomes
            #expect(
                outcomes.contains(truth.map { $0 ? .isTrue : .isFalse } ?? .fails), "\(naive.text)")
            if truth == nil {
                results.fails += 1
            } else if truth! {
                results.isTrue += 1
            } else {
                results.isFalse += 1
            }
        }
        #expect(min(results.isTrue, results.isFalse, results.fails) > 30, "\(results)")
    }

    /// Of each level of a random document: what it says and the keys below it.
    final class Level {
        var rules: [RuleKind: NaiveExpression] = [:]
        var literals: [String: Level] = [:]
        var wildcard: Level?

        init(_ random: inout TestRandom, depth: Int) {
            for kind in [RuleKind.write, .validate] where Int.random(in: 0..<3, using: &random) == 0
            {
                rules[kind] = NaiveExpression.truth(&random, depth: 1)
            }
            guard depth > 0 else { return }
            for name in ["a", "b"] where Bool.random(using: &random) {
                literals[name] = Level(&random, depth: depth - 1)
            }
            if Bool.random(using: &random) { wildcard = Level(&random, depth: depth - 1) }
        }

        func text(depth: Int = 0) -> String {
            var members = rules.map { "\"\($0.key.rawValue)\":\(quoted($0.value.rootText))" }
                .sorted()
            members += literals.map { "\"\($0.key)\":\($0.value.text(depth: depth + 1))" }.sorted()
            if let wildcard { members.append("\"$k\(depth)\":\(wildcard.text(depth: depth + 1))") }
            return "{" + members.joined(separator: ",") + "}"
        }

        func below(_ key: String) -> Level? { literals[key] ?? wildcard }
    }

    /// The verdict by the definition: all rules of the path, all rules of all that is there afterwards below it.
    private func mayWrite(_ paths: [[String]], _ root: Level, _ before: Value, _ after: Value)
        -> Bool
    {
        paths.allSatisfy { isGranted($0, root, before, after) && isValid($0, root, before, after) }
    }

    private func isGranted(_ path: [String], _ root: Level, _ before: Value, _ after: Value) -> Bool
    {
        var level: Level? = root
        for depth in 0...path.count {
            let scene = NaiveScene(before: before, after: after, key: "")
            if level?.rules[.write]?.rootTruth(scene) == true { return true }
            if depth < path.count { level = level?.below(path[depth]) }
        }
        return false
    }

    private func isValid(_ path: [String], _ root: Level, _ before: Value, _ after: Value) -> Bool {
        var level: Level? = root
        for depth in 0...path.count {
            let value = path[..<depth].reduce(after) { $0.children[Key(unchecked: $1)] ?? .null }
            if depth == path.count { return areValid(level, value, before, after) }
            if let rule = level?.rules[.validate], !value.isNull,
                rule.rootTruth(NaiveScene(before: before, after: after, key: "")) != true
            {
                return false
            }
            level = level?.below(path[depth])
        }
        return true
    }

    private func areValid(_ level: Level?, _ value: Value, _ before: Value, _ after: Value) -> Bool
    {
        guard let level, !value.isNull else { return true }
        if let rule = level.rules[.validate],
            rule.rootTruth(NaiveScene(before: before, after: after, key: "")) != true
        {
            return false
        }
        return value.children.allSatisfy {
            areValid(level.below($0.key.text), $0.value, before, after)
        }
    }

    @Test(arguments: 0..<20)
    func `grant and validate as the definition says`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 4711)
        var allowed = 0
        for _ in 0..<300 {
            let root = Level(&random, depth: 3)
            let ruleset = try Ruleset(Array("{\"rules\":\(root.text())}".utf8))
            let before = Value.random(&random, depth: 3)
            let names = [["a", "b"], ["a", "c"], ["b"], ["c", "a", "b"], []].shuffled(
                using: &random)
            let paths = names[0].isEmpty ? [[]] : Array(names.prefix(2).filter { !$0.isEmpty })
            var after = before
            for path in paths {
                after.set(.random(&random, depth: 2), at: Path(path.map { Key(unchecked: $0) }))
            }
            let situation = RuleSituation(auth: .null, now: 0, before: before, after: after)
            let operation = RuleOperation.update(paths.map { Path($0.map { Key(unchecked: $0) }) })
            let expected = mayWrite(paths, root, before, after)
            let trace = ruleset.trace(operation, in: situation)
            #expect(trace.verdict.isAllowed == expected, "\(root.text()) \(paths)")
            #expect(ruleset.judge(operation, in: situation) == trace.verdict)
            if expected { allowed += 1 }
        }
        #expect(allowed > 20 && allowed < 280, "\(allowed)")
    }
}

extension NaiveExpression {
    /// The expression with everything asked from the root, so that it means the same at all places.
    fileprivate var rootText: String {
        text.replacing("newData", with: "root").replacing("data", with: "root")
    }

    fileprivate func rootTruth(_ scene: NaiveScene) -> Bool? { fromRoot.truth(scene) }

    private var fromRoot: NaiveExpression {
        switch self {
        case .literal: self
        case .stored(_, let path): .stored("root", path)
        case .exists(_, let path): .exists("root", path)
        case .hasChildren(_, let path, let names): .hasChildren("root", path, names)
        case .not(let part): .not(part.fromRoot)
        case .negative(let part): .negative(part.fromRoot)
        case .both(let left, let right): .both(left.fromRoot, right.fromRoot)
        case .either(let left, let right): .either(left.fromRoot, right.fromRoot)
        case .choice(let a, let b, let c): .choice(a.fromRoot, b.fromRoot, c.fromRoot)
        case .compared(let left, let sign, let right):
            .compared(left.fromRoot, sign, right.fromRoot)
        case .computed(let left, let sign, let right):
            .computed(left.fromRoot, sign, right.fromRoot)
        case .contains(let left, let right): .contains(left.fromRoot, right.fromRoot)
        case .lengthOf(let part): .lengthOf(part.fromRoot)
        }
    }
}

import DataTree
import QueryEngine
import RulesOracle
import Testing

@testable import Rules

/// Random rules on random trees, against the definition.
@Suite struct `Random rules` {
    private static let words = RuleWords(
        keys: ["a", "b", "c"], paths: ["a", "b/c", ""],
        texts: ["", "a", "ab", "Abc", "é", "e\u{301}", "\u{1F600}b"],
        claims: [["uid"], ["token", "level"], ["provider"], ["groups", "0"]])

    private static let users: [Claim] = [
        .null, .user("a"), .user("ab"),
        Claim(members: [
            .init("uid", .string("b")), .init("provider", .string("Abc")),
            .init("token", Claim(members: [.init("level", .number(2))])),
            .init("groups", .array([.string("é"), .boolean(true)])),
        ]),
    ]

    @Test(arguments: 0..<20)
    func `evaluate as the definition says`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 77)
        var results = (isTrue: 0, isFalse: 0, fails: 0)
        for _ in 0..<400 {
            let naive = NaiveRule.drawn(Self.words, as: ".write", depth: 4, using: &random)
            let text = naive.text(using: &random)
            let document = "{\"rules\":{\"a\":{\".write\":\(quoted(text))}}}"
            let ruleset = try Ruleset(Array(document.utf8))
            let before = Value.random(&random, depth: 3)
            var after = before
            after.set(Value.random(&random, depth: 2), at: .at("/a/b"))
            let user = Self.users.randomElement(using: &random)!
            let situation = RuleSituation(auth: user, now: 10, before: before, after: after)
            let trace = ruleset.trace(.write(.at("/a/b")), in: situation)
            let scene = NaiveScene(
                auth: user, now: 10, before: before, after: after, place: ["a"])
            let truth = naive.truth(in: scene)
            #expect(trace.verdict.isAllowed == (truth == true), "\(text)")
            #expect(
                ruleset.evaluate(.write(.at("/a/b")), in: situation) == trace.verdict, "\(text)")
            let root = ruleset.rules[0].expression.root
            #expect(
                (trace.evaluations[0].values[root]?.failure != nil) == (truth == nil), "\(text)")
            let outcomes = ruleset.rules[0].expression.outcomes
            #expect(outcomes.contains(truth.map { $0 ? .isTrue : .isFalse } ?? .fails), "\(text)")
            switch truth {
            case nil: results.fails += 1
            case true?: results.isTrue += 1
            case false?: results.isFalse += 1
            }
        }
        #expect(min(results.isTrue, results.isFalse, results.fails) > 30, "\(results)")
    }

    @Test(arguments: 0..<20)
    func `grant and validate as the definition says`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 4711)
        var (writes, reads) = (0, 0)
        for _ in 0..<300 {
            let shape = RuleShape(["a", "b", "$k"], depth: 3)
            let (naive, document) = NaiveRules.drawn(along: shape, Self.words, using: &random)
            let ruleset = try Ruleset(Array(document.utf8))
            let user = Self.users.randomElement(using: &random)!
            let before = Value.random(&random, depth: 3)
            let names = [["a", "b"], ["a", "c"], ["b"], ["c", "a", "b"], []].shuffled(
                using: &random)
            let keys = names[0].isEmpty ? [[]] : Array(names.prefix(2).filter { !$0.isEmpty })
            let paths = keys.map { Path($0.map { Key(unchecked: $0) }) }
            var after = before
            for path in paths { after.set(.random(&random, depth: 2), at: path) }
            let situation = RuleSituation(auth: user, now: 10, before: before, after: after)
            let scene = NaiveScene(auth: user, now: 10, before: before, after: after)
            let mayWrite = naive.mayWrite(paths, in: scene)
            let trace = ruleset.trace(.update(paths), in: situation)
            #expect(trace.verdict.isAllowed == mayWrite, "\(document) \(paths)")
            #expect(ruleset.evaluate(.update(paths), in: situation) == trace.verdict)
            if mayWrite { writes += 1 }

            let (query, shown) = try Query.random(&random)
            let mayRead = naive.mayRead(paths[0], query, by: user, at: 10, in: before)
            let read = RuleSituation(auth: user, now: 10, data: before, query: shown)
            #expect(
                ruleset.evaluate(.read(paths[0]), in: read).isAllowed == mayRead,
                "\(document) \(paths[0]) \(query)")
            if mayRead { reads += 1 }
        }
        #expect(20...280 ~= writes && 20...280 ~= reads, "\(writes), \(reads)")
    }

    @Test(arguments: 0..<20)
    func `with one fault are refused for it`(seed: Int) {
        var random = TestRandom(seed: UInt64(seed) &+ 99)
        for _ in 0..<100 {
            let (document, problem) = NaiveRules.drawnFaulty(
                along: RuleShape(["a", "$k"], depth: 2), Self.words, using: &random)
            do throws(RulesetError) {
                _ = try Ruleset(Array(document.utf8))
                Issue.record("accepted: \(document)")
            } catch {
                #expect(error.errors.count == 1, "\(document)")
                #expect(error.errors[0].description.contains(problem), "\(error) \(document)")
            }
        }
    }

    @Test func `find letters of either case outside a class of the others`() throws {
        let pattern = try Pattern("[^A-Z]", ignoringCase: true)
        var work = RuleWork()
        for (text, isFound) in [("a", false), ("Q", false), ("1", true)] {
            #expect(try PatternSearch.finds(pattern, in: text, work: &work) == isFound)
        }
    }
}

extension Query {
    /// A query, and what rules see of it.
    fileprivate static func random(_ random: inout TestRandom) throws -> (Query, QueryShape) {
        var (query, shape) = (Query(), QueryShape())
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            query = try query.orderedByKey()
            shape.orderByKey = true
        case 1:
            query = try query.orderedByValue()
            shape.orderByValue = true
        case 2:
            query = try query.ordered(byChild: "a")
            shape.orderByChild = "a"
        default: break
        }
        let count = Int.random(in: 1..<6, using: &random)
        if Bool.random(using: &random) {
            query = try query.limited(toLast: count)
            shape.limitToLast = count
        }
        shape.orderByPriority = query.order == .priority
        return (query, shape)
    }
}

extension Value {
    /// A small tree whose keys are a, b and c.
    static func random(_ random: inout TestRandom, depth: Int) -> Value {
        var value = Value.null
        switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &random) {
        case 0: return .null
        case 1: value = .boolean(Bool.random(using: &random))
        case 2, 3: value = .integer(Int64.random(in: -2...3, using: &random))
        case 4: value = .double(2.5)
        case 5: value = .string(["", "a", "ab", "aBc", "é"].randomElement(using: &random)!)
        default:
            for name in ["a", "b", "c"] {
                value.set(.random(&random, depth: depth - 1), at: Path([Key(unchecked: name)]))
            }
        }
        guard Int.random(in: 0..<8, using: &random) == 0 else { return value }
        return value.prioritized([.integer(2), .string("a")].randomElement(using: &random)!)
    }
}

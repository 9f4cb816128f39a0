import DataTree
import Testing

@testable import Rules

/// The short evaluation of most writes has the verdict of the complete one.
@Suite struct `A short way` {
    private static let conditions = [
        "newData.exists()", "newData.isNumber()", "newData.isString()", "newData.isBoolean()",
        "newData.hasChildren()", "newData.hasChildren(['a'])", "newData.hasChildren(['b', 'a'])",
        "newData.hasChildren(['a', 'a'])", "newData.hasChildren(['a/b'])",
        "newData.hasChildren([])", "newData.val().length < 2", "newData.val().length == 1",
        "newData.val() >= 1", "newData.val() == 2.5", "newData.val() != 1", "newData.val() < 3",
        "1 <= newData.val()", "newData.val().length >= 1", "true", "!newData.isNumber()",
        "newData.getPriority() == 2", "data.isNumber()", "newData.child('a').isNumber()",
    ]

    private static func condition(_ random: inout TestRandom) -> String {
        (0..<Int.random(in: 1...3, using: &random))
            .map { _ in conditions.randomElement(using: &random)! }.joined(separator: " && ")
    }

    /// The same tree with all objects packed that can be.
    private static func packed(_ value: Value) -> Value {
        var children = Children()
        for (key, child) in value.children { children[key] = packed(child) }
        children.compact()
        return value.children.isEmpty ? value : Value(children).prioritized(value.priority)
    }

    @Test(arguments: 0..<10)
    func `validates as the steps of the expressions do`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 1234)
        var verdicts = (allowed: 0, denied: 0)
        for _ in 0..<500 {
            let (whole, a) = (Self.condition(&random), Self.condition(&random))
            let document = """
                {"rules":{".write":true,"x":{".validate":"\(whole)","a":{".validate":"\(a)"},
                "b":{".validate":"\(Self.condition(&random))","c":{}}}}}
                """
            let ruleset = try Ruleset(Array(document.utf8))
            let value = Self.packed(.random(&random, depth: 2))
            let path = try Path(["x", "x", "x/a"].randomElement(using: &random)!)
            let situation = RuleSituation(
                auth: .null, now: 0, before: .null, write: RuleWrite(value, at: path))
            let verdict = ruleset.evaluate(.write(path), in: situation)
            // A trace takes all steps.
            #expect(
                verdict == ruleset.trace(.write(path), in: situation).verdict,
                "\(document) \(value)")
            if verdict.isAllowed { verdicts.allowed += 1 } else { verdicts.denied += 1 }
        }
        #expect(min(verdicts.allowed, verdicts.denied) > 50, "\(verdicts)")
    }

    @Test(arguments: [
        ("newData.isString() && newData.val().length < 3", true), ("newData.exists()", true),
        ("newData.val() > 3 && newData.isNumber()", true), ("newData.hasChildren(['a'])", true),
        ("newData.val() != 1", false), ("newData.isNumber() || newData.isString()", false),
        ("data.isNumber()", false), ("newData.parent().exists()", false),
        ("newData.child('a').exists()", false), ("newData.hasChildren(['a/b'])", false),
        ("newData.val().length < now", false), ("data.val().length < 3", false),
        ("newData.val() == 'a'", false), ("!newData.exists()", false), ("false", false),
    ])
    func `is found for conjunctions of what is asked of the value`(text: String, isFound: Bool)
        throws
    {
        let document = "{\"rules\":{\".validate\":\(quoted(text))}}"
        let program = try Ruleset(Array(document.utf8)).rules[0].program
        #expect((program.check != nil) == isFound)
    }

    @Test func `costs what the parts of the expression cost`() throws {
        let text = "newData.isString() && newData.val().length < 1000"
        let rule = try Ruleset(Array("{\"rules\":{\".validate\":\"\(text)\"}}".utf8)).rules[0]
        let check = try #require(rule.program.check)
        let (parts, bytes) = (rule.expression.nodes.count, 600)
        let value = Value.string(String(repeating: "x", count: bytes))
        var work = RuleWork(RuleWork.step * parts + bytes + 1)
        #expect(try check.holds(for: value, paying: &work))
        #expect(work.remaining == 1)
        work = RuleWork(RuleWork.step * parts + bytes)
        #expect(throws: RuleFailure.exhausted) { try check.holds(for: value, paying: &work) }
    }

    @Test func `costs a step for each written place`() throws {
        let names = (0..<200).map { "k\($0)" }
        let rules = names.map { "\"\($0)\":{\".validate\":\"newData.val().length > 0\"}" }
        let document = "{\"rules\":{\".write\":true,\(rules.joined(separator: ","))}}"
        let ruleset = try Ruleset(Array(document.utf8))
        let text = String(repeating: "x", count: RuleLimits.workUnits / names.count + 1)
        let value = Value.object(named: names.map { ($0, .string(text)) })
        let situation = RuleSituation(
            auth: .null, now: 0, before: .null, write: RuleWrite(value, at: .root))
        #expect(ruleset.evaluate(.write(.root), in: situation) == .denied(.exhausted))
    }
}

/// The common part of one user's writes is evaluated once.
@Suite struct `A granted way` {
    private static let conditions = [
        "auth.uid == $k1", "auth.uid == 'u'", "auth != null", "$k1 == 'a'", "true", "false",
        "data.exists()", "!newData.exists()", "now > 5", "root.child('a').exists()",
    ]

    private static func rules(_ random: inout TestRandom, depth: Int = 1) -> String {
        var members: [String] = []
        if Bool.random(using: &random) {
            let text = conditions.filter { depth > 1 || !$0.contains("$k1") }
                .randomElement(using: &random)!
            members.append("\".write\":\"\(text)\"")
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            members.append("\".validate\":\"newData.exists() && newData.val() != 1\"")
        }
        if depth < 4 {
            if depth > 1, Bool.random(using: &random) {
                members.append("\"a\":\(rules(&random, depth: depth + 1))")
            }
            members.append("\"$k\(depth)\":\(rules(&random, depth: depth + 1))")
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test(arguments: 0..<10)
    func `leads to the verdicts of whoever knows of none`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 77)
        var (known, denied) = (0, 0)
        for _ in 0..<100 {
            let document = "{\"rules\":\(Self.rules(&random))}"
            let ruleset = try Ruleset(Array(document.utf8))
            var (granted, tree): (GrantedWay?, Value) = (nil, .random(&random, depth: 2))
            for number in 0..<20 {
                let count = Int.random(in: 0...3, using: &random)
                var path = Path(
                    (0..<count).map { _ in
                        Key(unchecked: ["a", "a", "u", "b"].randomElement(using: &random)!)
                    })
                if number % 7 == 6 { path.keys.append(.priority) }
                let write = RuleWrite(
                    number % 7 == 6 ? .integer(1) : .random(&random, depth: 1), at: path)
                let situation = RuleSituation(
                    auth: .user("u"), now: Double(number), before: tree, write: write)
                if granted?.leads(to: path) == true { known += 1 }
                var units = 0
                let verdict = ruleset.evaluate(
                    .write(path), in: situation, knowing: &granted, spending: &units)
                #expect(
                    verdict == ruleset.evaluate(.write(path), in: situation), "\(document) \(path)")
                if verdict.isAllowed { tree = situation.after } else { denied += 1 }
            }
        }
        #expect(known > 200 && denied > 200, "\(known), \(denied)")
    }

    private static func write(
        _ text: String, _ ruleset: Ruleset, _ granted: inout GrantedWay?
    ) throws -> RuleVerdict {
        let path = try Path(text)
        let situation = RuleSituation(
            auth: .user("u"), now: 0, before: .null, write: RuleWrite(.integer(1), at: path))
        var units = 0
        return ruleset.evaluate(.write(path), in: situation, knowing: &granted, spending: &units)
    }

    @Test func `ends above what is written and at the rule that grants at least`() throws {
        let ruleset = try Ruleset(
            Array(#"{"rules":{"$k":{".write":"auth.uid == $k","a":{"b":{}}}}}"#.utf8))
        var granted: GrantedWay?
        for (path, depth) in [("u", 1), ("u/a", 1), ("u/a/b", 1), ("u/c/d", 1)] {
            #expect(try Self.write(path, ruleset, &granted).isAllowed)
            #expect(granted?.depth == depth, "\(path)")
        }
        granted = nil
        #expect(try Self.write("u/a/b", ruleset, &granted).isAllowed)
        #expect(granted?.depth == 2)
    }

    @Test func `costs what the rules cost that led to it`() throws {
        let text = (0..<100).map { "auth.uid != 'x\($0)'" }.joined(separator: " && ")
        let ruleset = try Ruleset(
            Array("{\"rules\":{\"a\":{\".write\":\"\(text)\"}}}".utf8))
        var granted: GrantedWay?
        #expect(try Self.write("a/b", ruleset, &granted).isAllowed)
        #expect(try #require(granted).work > 300 * RuleWork.step)
        granted = GrantedWay(granted!.keys, to: granted!.level, for: RuleLimits.workUnits)
        #expect(try Self.write("a/b", ruleset, &granted) == .denied(.exhausted))
    }

    @Test(arguments: ["data.exists() || true", "now > 1 || auth != null", "root.exists() || true"])
    func `is none by rules that ask for more`(text: String) throws {
        let ruleset = try Ruleset(Array("{\"rules\":{\".write\":\"\(text)\"}}".utf8))
        var granted: GrantedWay?
        #expect(try Self.write("a", ruleset, &granted).isAllowed)
        #expect(granted == nil)
    }
}

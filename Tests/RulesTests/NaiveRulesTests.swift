import DataTree
import QueryEngine
import Rules
import RulesOracle
import SyncProtocol
import Testing

/// Rules as the simulator judges by them.
@Suite struct NaiveRulesTests {
    private static let before: Value = {
        var tree = Value.null
        tree.set(.integer(1), at: path("a/n"))
        tree.set(.string("text"), at: path("a/t"))
        tree.set(.boolean(true), at: path("m/u1"))
        return tree
    }()

    private static func path(_ text: String) -> Path {
        Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
    }

    private func rules(_ document: String) throws -> (NaiveRules, Ruleset) {
        let bytes = Array("{\"rules\":\(document)}".utf8)
        return (try #require(NaiveRules(bytes)), try Ruleset(bytes))
    }

    @Test(arguments: [
        ("auth != null", false), ("auth == null", true), ("data.child('a/n').val() == 1", true),
        ("data.child('a').val() == null", false), ("data.child('a').hasChildren(['n', 't'])", true),
        ("data.child('a').hasChildren(['n', 'x'])", false), ("data.parent().exists()", false),
        ("!(data.child('a/t').val() > 3)", false), ("data.child('a/t').val() > 'tex'", true),
        ("data.child('m').hasChild(auth.uid)", false), ("auth.uid == null", true),
        ("data.child('a/n').isNumber() && data.child('a/t').isString()", true),
        ("true || data.child(auth.uid).exists()", true),
        ("data.child(auth.uid).exists() || true", false),
        ("now - 1 == 999", true), ("query.limitToLast <= 3", false),
        ("data.child('a/n').val() + 1 * 2 == 3 ? true : false", true),
    ])
    func `an expression holds as the rules say`(_ text: String, _ holds: Bool) throws {
        let (naive, ruleset) = try rules("{\".read\":\"\(text)\"}")
        let tree = NaiveRulesTests.before
        let situation = RuleSituation(auth: .null, now: 1_000, data: tree)
        #expect(naive.mayRead(.root, Query(), by: .null, at: 1_000, in: tree) == holds)
        #expect(ruleset.evaluate(.read(.root), in: situation).isAllowed == holds)
    }

    private static let document = """
        {"a":{".write":true,".validate":"newData.hasChildren(['n'])",
        "n":{".validate":"newData.val() < 3"},"$o":{".validate":"$o == 't'"}},
        "m":{"$u":{".write":"auth.uid == $u"}},
        "j":{".write":"newData.parent().child('m').hasChild(auth.uid)"}}
        """

    @Test(arguments: [
        ([("a/n", Value.integer(2))], true), ([("a/n", .integer(3))], false),
        ([("a/n", .null)], false), ([("a", .null)], true), ([("a/x", .integer(1))], false),
        ([("a/t", .string("b"))], true), ([("m/u1", .null)], true),
        ([("m/u2", .boolean(true))], false), ([("j", .integer(1))], true),
        ([("j", .integer(1)), ("m/u1", .null)], false), ([("b", .integer(1))], false),
        ([("a/t", .integer(1)), ("b", .integer(1))], false),
        ([("a/n", .deferred(.increment(.integer(1))))], true),
        ([("a/n", .deferred(.increment(.integer(2))))], false),
    ])
    func `a write is judged as the rules say`(_ writes: [(String, Value)], _ isAllowed: Bool) throws
    {
        let (naive, ruleset) = try rules(NaiveRulesTests.document)
        let before = NaiveRulesTests.before
        let written = writes.map { Write(path: NaiveRulesTests.path($0), value: $1) }
        var after = before
        for write in written {
            after.set(write.value.resolved(at: 5, against: before[write.path]), at: write.path)
        }
        let situation = RuleSituation(auth: .user("u1"), now: 5, before: before, after: after)
        #expect(naive.mayWrite(written, by: .user("u1"), at: 5, in: before) == isAllowed)
        #expect(
            ruleset.evaluate(.update(written.map(\.path)), in: situation).isAllowed == isAllowed)
    }

    @Test func `a literal key hides a wildcard`() throws {
        let (naive, _) = try rules(#"{"$k":{".read":true},"a":{}}"#)
        let reads = ["a", "b"].map {
            naive.mayRead(NaiveRulesTests.path($0), Query(), by: .null, at: 1, in: .null)
        }
        #expect(reads == [false, true])
    }

    @Test(arguments: ["data.val().matches(/a/)", "data.size()", "a b", "'x", "1 +"])
    func `what is not known here is no rule`(_ text: String) {
        #expect(NaiveRule(text).map { _ in true } == nil)
    }
}

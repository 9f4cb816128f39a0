import DataTree
import Testing

@testable import Rules

/// Expressions are true, are false, or fail.
@Suite struct `Evaluating expressions` {
    enum Result: Equatable {
        case isTrue
        case isFalse
        case fails
    }

    static let stored =
        #"{"here":{"n":7,"s":"a😀b","t":true,"list":{"x":1,"y":2},"p":{".value":1,".priority":"z"}},"top":1}"#

    /// The result of an expression at /here, where a write left all as it was.
    static func result(of expression: String) throws -> Result {
        let bench = Bench(
            rules: "{\"$k\":{\".write\":\(quoted(expression))}}", stored: stored,
            auth: .token(
                .init("groups", .array([.string("g0"), .string("g1")])),
                .init("https://x/role", .string("lead"))))
        let trace = try bench.set("/here/q", "1")
        let evaluation = try #require(trace.evaluations.first)
        let rule = try bench.ruleset.rules[0]
        switch evaluation.values[rule.expression.root] {
        case .boolean(true): return .isTrue
        case .boolean(false): return .isFalse
        default: return .fails
        }
    }

    @Test(arguments: [
        ("1 == 1.0", Result.isTrue), ("0/0 == 0/0", .isFalse), ("1/0 > 2", .isFalse),
        ("-1/0 < 2", .isFalse), ("1/-0.0 < 2", .isFalse), ("5 % 0 >= 0", .isFalse),
        ("'' + 5 % 0 == 'NaN'", .isTrue), ("(1/0 + '') == 'NaN'", .isTrue),
        ("-7 % 3 == -1", .isTrue), ("7 % -3 == 1", .isTrue), ("2 + 3 * 4 - 1 == 13", .isTrue),
        ("10 - 2 - 3 == 5", .isTrue), ("12 / 2 / 3 == 2", .isTrue), ("1 < 2 == true", .isTrue),
        ("null == false", .isFalse), ("null == null", .isTrue), ("'' == null", .isFalse),
        ("auth.x < 1", .fails), ("data.child('n').val() < auth.uid", .fails), ("1 < 'a'", .fails),
        ("'a' < 'b'", .isTrue), ("'a' <= 'a'", .isTrue),
        ("'b' > 'a' && 'b' >= 'b'", .isTrue), ("'\\uffff' > '\\ud83d\\ude00'", .isTrue),
        ("'n' + 1.5 == 'n1.5'", .isTrue), ("'n' + 1e21 == 'n1e+21'", .isTrue),
        ("'n' + 1e20 == 'n100000000000000000000'", .isTrue),
        ("1 + 'x' == '1x'", .isTrue), ("'a' + data.child('t').val() == 'atrue'", .fails),
        ("'a' + data.val() == ''", .fails), ("'' + -0.0 == '0'", .isTrue),
        ("data.child('n').val() + 1 == 8", .isTrue),
        ("data.val() == data.val()", .isFalse), ("data.val() != data.val()", .isTrue),
        ("auth == auth", .isFalse), ("auth != null", .isTrue),
        ("auth.nothing.deeper == null", .isTrue), ("auth.uid.deeper == null", .isTrue),
        ("auth.token.groups[1] == 'g1'", .isTrue), ("auth.token.groups['1'] == 'g1'", .isTrue),
        ("auth.token.groups['01'] == null", .isTrue),
        ("auth.token['https://x/role'] == 'lead'", .isTrue), ("auth[$k] == null", .isTrue),
        ("auth.nothing.contains('a')", .fails), ("$k == 'here'", .isTrue),
        ("now == 1700000000000", .isTrue), ("root.child('top').val() == 1", .isTrue),
        ("data.parent().child('top').exists()", .isTrue),
        ("data.parent().parent().exists()", .fails),
        ("data.child('no/such').parent().parent().child('n').exists()", .isTrue),
        ("data.child('//n//').exists()", .isTrue), ("data.child('').exists()", .isTrue),
        ("data.child('.priority').exists()", .isFalse),
        ("data.child('p').getPriority() == 'z'", .isTrue), ("data.child('p').val() == 1", .isTrue),
        ("data.getPriority() == null", .isTrue),
        ("data.child(null == null ? 'n' : 's').exists()", .isTrue),
        ("data.hasChild('list/x')", .isTrue), ("data.hasChild('list/z')", .isFalse),
        ("data.hasChild(auth.nothing)", .fails), ("data.hasChildren()", .isTrue),
        ("data.child('n').hasChildren()", .isFalse), ("data.hasChildren(['n', 's'])", .isTrue),
        ("data.hasChildren(['n', 'zz'])", .isFalse),
        ("data.hasChildren(['zz', auth.nothing])", .fails),
        ("data.child('zz').hasChildren([])", .isTrue), ("data.child('n').isNumber()", .isTrue),
        ("data.isNumber() || data.isString() || data.isBoolean()", .isFalse),
        ("data.child('s').isString() && data.child('t').isBoolean()", .isTrue),
        ("data.child('s').val().length == 4", .isTrue),
        ("data.child('n').val().length == 1", .fails),
        ("'aaab'.contains('aab')", .isTrue), ("'ababac'.replace('abac', 'x') == 'abx'", .isTrue),
        ("'\\ud83d\\ude00' < '\\uffff'", .isTrue),
        ("'abc'.contains('')", .isTrue), ("'abc'.contains('bc')", .isTrue),
        ("'abc'.contains('cb')", .isFalse), ("'aab'.contains('ab')", .isTrue),
        ("'abc'.beginsWith('ab')", .isTrue), ("'abc'.beginsWith('bc')", .isFalse),
        ("'abc'.endsWith('bc')", .isTrue), ("'abc'.endsWith('ab')", .isFalse),
        ("'aaa'.replace('aa', 'b') == 'ba'", .isTrue), ("'abc'.replace('', 'x') == 'abc'", .isTrue),
        ("'a.b'.replace('.', '$&') == 'a$&b'", .isTrue), ("'ÄB'.toLowerCase() == 'äb'", .isTrue),
        ("'äß'.toUpperCase() == 'ÄSS'", .isTrue), ("'a\\nb'.matches(/^a.b$/)", .isTrue),
        ("true || auth.x < 1", .isTrue), ("auth.x < 1 || true", .fails),
        ("false && auth.x < 1", .isFalse),
        ("true && auth.x < 1", .fails), ("!(auth.x < 1)", .fails),
        ("true ? true : auth.x < 1", .isTrue),
        ("auth.x < 1 ? true : true", .fails), ("false ? auth.x < 1 : false", .isFalse),
        ("query.orderByKey", .isFalse), ("query.startAt == null", .isTrue),
        ("newData.child('q').val() == 1 && !data.child('q').exists()", .isTrue),
        ("newData.parent().child('here/q').exists()", .isTrue),
        ("root.child('here/q').exists()", .isFalse),
    ])
    func `comes to`(expression: String, expected: Result) throws {
        #expect(try Self.result(of: expression) == expected)
    }

    @Test func `of claims of equal names the last counts`() {
        let claim = Claim(members: [
            .init("b", .number(0)), .init("a", .number(1)), .init("a", .number(2)),
        ])
        #expect(claim["a"] == .number(2))
        #expect(claim == .object([.init("a", .number(2)), .init("b", .number(0))]))
    }

    @Test func `fails where a string grows beyond its bound`() throws {
        let grow = (0..<40).map { _ in ".replace('a', 'aa')" }.joined()
        #expect(try Self.result(of: "'a'\(grow) == 'b'") == .fails)
    }

    @Test func `denies an operation whose rules take more work than one may`() throws {
        let long = String(repeating: "a", count: 200_000)
        let parts = Array(repeating: "data.val().matches(/(a?){60}b/)", count: 4)
        let bench = Bench(
            rules: "{\".read\":\(quoted(parts.joined(separator: " || ")))}", stored: quoted(long))
        let trace = try bench.read("/")
        #expect(trace.verdict == .denied(.exhausted))
        #expect(trace.explanation.first == "the rules of this operation take too much work")
    }
}

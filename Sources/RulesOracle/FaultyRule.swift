// Expressions that no node may take.

/// An expression that the compiler has to refuse, and what it has to say.
struct FaultyRule {
    let text: String
    let problem: String

    /// One of all faults, beside an expression without one.
    init(
        beside good: String, of kind: String, using random: inout some RandomNumberGenerator
    ) {
        var faults = FaultyRule.faults + FaultyRule.open
        if kind == ".read" {
            faults.append(("newData.exists()", "newData is invalid in .read expressions."))
        }
        let (fault, problem) = random.one(of: faults)
        let isOpen = FaultyRule.open.contains { $0 == (fault, problem) }
        text =
            switch random.index(isOpen ? 2 : 4) {
            case 0: fault
            case 1: "(\(good)) && \(fault)"
            case 2: "\(fault) || (\(good))"
            default: "!(\(fault))"
            }
        self.problem = problem
    }

    /// A part that begins and does not end; it is the last part.
    private static let open: [(String, String)] = [
        ("(now == 1", "Unexpected end of expression"), ("('a == 1)", "Parse error."),
        ("(now == 'a\\", "Parse error."), ("(now == 'a\\x4", "Parse error."),
        ("'a'.matches(/a", "unterminated regular expression literal"),
        ("'a'.matches(/a\\", "unterminated regular expression literal"),
        ("'a'.matches(/[a/)", "unterminated regular expression literal"),
        ("now == 1 /* so", "Parse error."), ("data.child(", "Unexpected end of expression"),
        ("now ==", "Unexpected end of expression"), ("!", "Unexpected end of expression"),
        ("now == 1 ?", "Unexpected end of expression"),
        ("now == 1 ? true", "Unexpected end of expression"),
        ("['a'", "Unexpected end of expression"),
    ]
    private static let faults: [(String, String)] = [
        ("(true && 1)", "Right operand of && must be boolean."),
        ("('a' || true)", "Left operand of || must be boolean."),
        ("(true && !data.val())", "! only operates on booleans."),
        ("(-'a' == 1)", "- only operates on numbers."),
        ("(1 ? true : false)", "condition of ? must be boolean."),
        ("(true < 1)", "Invalid < expression: left operand must be a number or string."),
        ("(1 >= null)", "Invalid >= expression: right operand must be a number or string."),
        ("('a' - 1 == 0)", "Invalid - expression: left operand is not a number."),
        ("(1 * 'a' == 0)", "Invalid * expression: right operand is not a number."),
        ("(null + 1 == 1)", "Invalid + expression: left operand is not a number or string."),
        ("(1 + data == 1)", "Invalid + expression: right operand is not a number or string."),
        (
            "(data == null)",
            "Invalid == expression: left operand is not a number, boolean, string, null."
        ),
        (
            "(null != root)",
            "Invalid != expression: right operand is not a number, boolean, string, or null."
        ),
        ("data.exists(1)", "exists() expects no arguments."),
        ("(data.child() == 1)", "child() expects 1 argument."),
        ("data.hasChild(1)", "hasChild() expects a string argument."),
        ("data.hasChildren('a')", "hasChildren() expects an array of child names."),
        ("data.hasChildren([1])", "hasChildren() expects an array of strings."),
        ("(nobody == null)", "Unknown variable 'nobody'."),
        ("(data.size() == 1)", "No such method/property 'size'."),
        ("(query.limit == 1)", "No such method/property 'limit'."),
        ("('a'.child('b') == 1)", "No such method/property 'child'."),
        ("(now.length == 1)", "Invalid property access: target is not an object."),
        ("('a'.replace('b') == 'c')", "replace() expects two arguments."),
        ("('a'.replace('b', 1) == 'c')", "Argument 2 of replace() must be a string."),
        ("'a'.matches('a')", "matches() expects a regular expression literal argument."),
        ("'a'.matches(/a/g)", "regular expressions do not support flags other than i"),
        ("'a'.matches(/a{2,1}/)", "Illegal regular expression, "),
        ("'a'.matches(/(a/)", "Illegal regular expression, "),
        ("'a'.matches(/[b-a]/)", "Illegal regular expression, "),
        ("(now = 1)", "Rule expressions may not contain assignments."),
        ("(now & 1)", "Rule expressions may not contain operator &."),
        ("(now == 1 1)", "Parse error."), ("(now == 0x1p3)", "Parse error."),
        ("(now == 1.2.3)", "Parse error."), ("(now == 1e)", "Parse error."),
        ("(now == '\\u12')", "Parse error."), ("(now == '\\uD83Dx')", "Parse error."),
        ("(now == '\\xg0')", "Parse error."), ("(now == '\\uDE00')", "Parse error."),
        ("(now ~ 1)", "Rule expressions may not contain operator ~."),
        ("(now >>> 1 == 0)", "Rule expressions may not contain operator >>>."),
        ("(now ** 2 == 4)", "Rule expressions may not contain operator **."),
        ("(now++ == 4)", "Rule expressions may not contain operator ++."),
        ("'a'.matches(/a**/ii)", "regular expressions do not support flags other than i"),
        ("'a'.matches(/a|/)", "Illegal regular expression, "),
        ("'a'.matches(/[]/)", "Illegal regular expression, "),
        ("'a'.matches(/a{1,/)", "Illegal regular expression, "),
        ("'a'.matches(/a{x}/)", "Illegal regular expression, "),
        ("'a'.matches(/a)/)", "Illegal regular expression, "),
        ("'a'.matches(/a^b/)", "Illegal regular expression, "),
        ("(now @ 1)", "Parse error."), ("(now == #)", "Parse error."),
    ]
}

import DataTree
import Testing

@testable import Rules

/// The compiler refuses faulty rules in Firebase's words.
@Suite struct `Compiling rules` {
    @Test(arguments: [
        ("auth.token.vip", "Expression must evaluate to a boolean."),
        ("$k == 'b'", "Unknown variable '$k'."),
        ("data.size() > 1", "No such method/property 'size'."),
        ("data.child('b').val() && auth != null", "Left operand of && must be boolean."),
        ("auth != null || now", "Right operand of || must be boolean."),
        ("newData.val().matches('b')", "matches() expects a regular expression literal argument."),
        ("newData.hasChildren('b')", "hasChildren() expects an array of child names."),
        ("newData.hasChildren([1])", "hasChildren() expects an array of strings."),
        (
            "newData.hasChildren(['a'], 'b')",
            "hasChildren() expects only a single argument (containing an array of child names)."
        ),
        ("now - 'b' > 1", "Invalid - expression: right operand is not a number."),
        ("('a' + now) * 1 == 1", "Invalid * expression: left operand is not a number."),
        ("auth + null == 1", "Invalid + expression: right operand is not a number or string."),
        ("true < 1", "Invalid < expression: left operand must be a number or string."),
        (
            "data == 1",
            "Invalid == expression: left operand is not a number, boolean, string, null."
        ),
        (
            "1 === data",
            "Invalid == expression: right operand is not a number, boolean, string, or null."
        ),
        (
            "data !== 1",
            "Invalid != expression: left operand is not a number, boolean, string, or null."
        ),
        (
            "newData.val().matches(/b/g)",
            "regular expressions do not support flags other than i"
        ),
        ("newData.val().matches(/b", "unterminated regular expression literal"),
        (
            "newData.val().matches(/a(b/)",
            "Illegal regular expression, expected ')' at position 3"
        ),
        ("now.exists()", "Invalid property access: target is not an object."),
        ("data.exists.length == 1", "Invalid property access: target is not an object."),
        ("data.exists", "Expression must evaluate to a boolean."),
        ("data[auth.uid].exists()", "Invalid property access."),
        ("!now", "! only operates on booleans."),
        ("-'a' == 1", "- only operates on numbers."),
        ("now ? true : false", "condition of ? must be boolean."),
        ("data.exists(1)", "exists() expects no arguments."),
        ("data.hasChild()", "hasChild() expects 1 argument."),
        ("data.hasChild(1)", "hasChild() expects a string argument."),
        ("'a'.contains(null)", "contains() expects a string argument."),
        ("'a'.replace('b') == 'c'", "replace() expects two arguments."),
        ("'a'.replace('b', 1) == 'c'", "Argument 2 of replace() must be a string."),
        ("'a'.matches()", "matches() expects 1 regular expression literal argument."),
        ("auth()", "Type error: Function call on target that is not a function."),
        ("auth.child('x')", "Type error: Function call on target that is not a function."),
        ("[] == null", "Unexpected array literal."),
        ("a = 1", "Rule expressions may not contain assignments."),
        ("now & 1", "Rule expressions may not contain operator &."),
        ("now++ > 1", "Rule expressions may not contain operator ++."),
        ("", "Unexpected end of expression"),
        ("true &&", "Unexpected end of expression"),
        ("true true", "Parse error."),
        ("typeof now", "Parse error."),
        ("+1 == 1", "Parse error."),
        ("true, true", "Parse error."),
        ("'a", "Parse error."),
        ("{} == null", "Parse error."),
    ])
    func `refuses an expression with Firebase's words`(text: String, expected: String) {
        #expect(fault(write: text) == expected)
    }

    @Test(arguments: [
        "now > 'b'", "true", "  true\n", "auth != null // signed in", "(true)",
        "data['exists']()", "auth['https://x/role'] == 'a'", "auth[auth.uid] == null",
        "query.orderByKey", "newData.val() > 0x1F", "1.5e3 == 1500", ".5 < 1",
        "now / 2 / 3 > 1", "(true ? data : newData).exists()",
        "newData.val().matches(/[/]\\/$/)", "auth.length == null", "(auth.a + auth.b) * 1 == 1",
        "'a'.length == 1",
        "-now < 1 && !true", "auth.token.x.matches(/a/)",
        "data.hasChildren() && data.hasChildren([])",
        "'\\x41\\u0042' == 'AB'", "null == null", "$a == null ? true : false",
    ])
    func `accepts an expression`(text: String) {
        let document = "{\"rules\":{\"$a\":{\".write\":\(quoted(text))}}}"
        #expect(fault(document) == nil)
    }

    @Test func `refuses newData in a rule about reading`() {
        #expect(
            fault(#"{"rules":{".read":"newData.hasChild('b')"}}"#)
                == "newData is invalid in .read expressions.")
        #expect(
            fault(#"{"rules":{"$k":{".write":"data[$k].exists()"}}}"#)
                == "Invalid property access.")
    }

    @Test(arguments: [
        (#"{"rulez":{}}"#, "Expected 'rules' property."),
        (#"{}"#, "Expected 'rules' property."),
        (#"{"rules":{},"//":1}"#, "Expected 'rules' property."),
        (#"{"rules":{"a":1}}"#, "Expected '{'."),
        (#"{"rules":{".foo":"x"}}"#, "Expected '{'."),
        (
            #"{"rules":{".foo":{}}}"#,
            "String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""
        ),
        (
            #"{"rules":{"a#b":{}}}"#,
            "String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""
        ),
        (
            #"{"rules":{"$a":{},"$b":{}}}"#,
            "Cannot have multiple default rules ('$a' and '$b')."
        ),
        (#"{"rules":{"$a":{"b":{"$a":{}}}}}"#, "'$a' stands for a key above already."),
        (
            #"{"rules":{".write":1}}"#,
            "Invalid rule expression.  Expected 'true', 'false', or an expression string."
        ),
        (
            #"{"rules":{".indexOn":1}}"#,
            "Invalid indexOn expression. Must be either a string or an array of strings"
        ),
        (#"{"rules":{".read":"\q"}}"#, #"Invalid escape: '\q'"#),
        ("{\"rules\":{\".read\":\"\\\n\"}}", "Invalid escape: '\\\n'"),
        (#"{"rules":{"a":{},,}}"#, "Expected '\"'."),
        (#"{"rules":{,"a":{}}}"#, "Unexpected ','."),
        (#"{"rules":{"a":{},"a":{}}}"#, "Duplicate key 'a'."),
        (#"{"rules":{}"#, "Unexpected end of input."),
        (#"{"rules":{}} x"#, "Unexpected 'x'."),
        (#"{"rules":{a:{}}}"#, "Expected '\"'."),
        ("{\"rules\":{}} /*", "Unterminated comment."),
    ])
    func `refuses a document`(document: String, expected: String) {
        #expect(fault(document) == expected)
    }

    @Test func `accepts comments, raw line breaks and trailing commas`() throws {
        let text = """
            // who may
            {"rules": { /* all */ ".read": "auth != null &&
                now > 1", // one
              "a": {".indexOn": ["b", ".value",], "$k": {".write": true,},},
            },}
            """
        let ruleset = try Ruleset(Array(text.utf8))
        #expect(ruleset.rules.map(\.location) == ["/", "/a/$k"])
        #expect(ruleset.indexes(at: try Path("/a")) == ["b", ".value"])
        #expect(ruleset.indexes(at: try Path("/a/x")) == [])
        #expect(ruleset.indexes(at: try Path("/b")) == [])
    }

    @Test func `places a fault at its line and column, through escapes and line breaks`() {
        let text = "{\"rules\": {\n  \"é\": {\".read\": \"true &&\n  \\\"\\\" == foo\"}}}"
        let error = #expect(throws: RulesetError.self) { try Ruleset(Array(text.utf8)) }
        #expect(error?.errors.map(\.description) == ["3:11: Unknown variable 'foo'."])
    }

    @Test func `names all faults, in the order of the text`() {
        let text = #"{"rules":{".write":"now",".read":"foo","a":{".x":{}}}}"#
        #expect(
            fault(text)
                == "Expression must evaluate to a boolean.\nUnknown variable 'foo'.\n"
                + "String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\"")
    }

    @Test(arguments: [
        String(repeating: "(", count: 200) + "true" + String(repeating: ")", count: 200),
        String(repeating: "!", count: 20_000) + "true",
        "1 + " + Array(repeating: "1", count: 5_000).joined(separator: "+") + " == 1",
        Array(repeating: "true", count: 20_000).joined(separator: "&&"),
        "data" + String(repeating: ".parent()", count: 3_000) + ".exists()",
        String(repeating: "true ? true : ", count: 3_000) + "true",
        String(repeating: " ", count: 70_000) + "true",
        "'a'.matches(/" + String(repeating: "(a", count: 200) + String(repeating: ")", count: 200)
            + "/)",
        "'a'.matches(/a" + String(repeating: "*", count: 200) + "/)",
        "'a'.matches(/((a{1000}){1000}){1000}/)",
        "'a'.matches(/a{1001}/)",
    ])
    func `refuses what is too large`(expression: String) {
        let text = fault(write: expression)
        #expect(text != nil)
        #expect(text?.contains("Parse error") == false)
    }

    @Test func `takes long chains of alternatives`() {
        let chain = Array(repeating: "auth.uid == 'x'", count: 2_000).joined(separator: " || ")
        #expect(fault(write: chain) == nil)
        #expect(
            fault(write: "'a'.matches(/" + "((((a{0}){1000}){1000}){1000}){1000}" + "/)") == nil)
    }

    @Test func `takes a long document of many rules on one line`() throws {
        let levels = (0..<20_000).map { "\"k\($0)\":{\".read\":\"now > \($0)\"}" }
        let document = "{\"rules\":{\(levels.joined(separator: ","))}}"
        let clock = ContinuousClock()
        let duration = try clock.measure {
            let ruleset = try Ruleset(Array(document.utf8))
            #expect(ruleset.rules.count == 20_000)
            #expect(ruleset.rules[1].column > ruleset.rules[0].column)
        }
        // A second of any machine; a pass through the text for each rule takes twenty.
        #expect(duration < .seconds(5))
    }

    @Test func `refuses more regular expressions than fit into memory`() {
        func document(_ count: Int) -> String {
            let rule = quoted("newData.val().matches(/a{999}{9}/)")
            let levels = (0..<count).map { "\"k\($0)\":{\".write\":\(rule)}" }
            return "{\"rules\":{\(levels.joined(separator: ","))}}"
        }
        #expect(fault(document(100)) == nil)
        #expect(fault(document(120))?.hasPrefix("The regular expressions have more than") == true)
    }

    @Test func `refuses documents that nest too deep`() {
        func document(_ levels: Int) -> String {
            String(repeating: "{\"a\":", count: levels) + "{}"
                + String(repeating: "}", count: levels)
        }
        #expect(fault("{\"rules\":\(document(32))}") == nil)
        #expect(fault("{\"rules\":\(document(33))}")?.contains("32") == true)
        #expect(fault("{\"rules\":\(document(100_000))}")?.contains("nests deeper") == true)
        #expect(
            fault(String(repeating: " ", count: 1 << 20) + "{\"rules\":{}}")?.contains("bytes")
                == true)
    }
}

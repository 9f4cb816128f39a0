import Testing

@testable import Rules

/// Files of cases.
@Suite struct `A file of cases` {
    static let rules = """
        {"rules": {"users": {"$uid": {
          ".read": "auth.uid == $uid || query.limitToFirst <= 5",
          ".write": "auth.uid == $uid",
          "name": {".validate": "newData.isString()"},
          "seen": {".validate": "newData.val() == now"}}}}}
        """

    private func report(_ text: String) throws -> RuleTestReport {
        try RuleTestFile(Array(text.utf8)).run(on: Ruleset(Array(Self.rules.utf8)))
    }

    static let good = """
        # Who may see and change a user.
        rules  users.json
        data   {users: {bob: {name: 'Bob', count: 1}}}   // all of it
        data   /users/ada {name: "Ada"}
        user   ada {uid: "ada", token: {admin: true}}

        allow read   /users/ada as ada
        deny  read   /users/ada as none
        deny  read   /users/ada
        allow read   /users/ada query {limitToFirst: 5} as none
        allow write  /users/bob/name "Robert" as {uid: "bob"}
        deny  write  /users/ada {
            name: 7,
        } as ada
        allow update /users/bob {name: "B", "count": {".sv": {increment: 1}}} as {uid: 'bob'}
        allow delete /users/ada as ada
        now 5000
        allow write /users/ada/seen {".sv": "timestamp"} as ada
        deny  write /users/ada/seen 5001 as ada
        """

    @Test func `passes when the rules do what it says`() throws {
        let report = try report(Self.good)
        #expect(report.results.map(\.hasPassed) == Array(repeating: true, count: 10))
        #expect(report.results.map(\.test.line) == [7, 8, 9, 10, 11, 12, 15, 16, 18, 19])
        #expect(report.results[5].test.text == "deny write /users/ada { name: 7, } as ada")
        #expect(report.failures == 0)
        #expect(report.coverage.outcomes == (9, 12))
        #expect(
            report.coverage.gaps.map { $0.drop { $0 != "u" } } == [
                "users/$uid: query.limitToFirst <= 5 was never false",
                "users/$uid: auth.uid == $uid || query.limitToFirst <= 5 was never false",
                "users/$uid: auth.uid == $uid was never false",
            ])
        #expect(try RuleTestFile(Array(Self.good.utf8)).rules == "users.json")
    }

    @Test func `fails where they do something else, and says why`() throws {
        let report = try report(
            """
            rules users.json
            allow read /users/ada as none
            deny read /users/ada as {uid: "ada"}
            """)
        #expect(report.results.map(\.hasPassed) == [false, false])
        #expect(report.results[0].explanation.count == 2)
        #expect(report.results[1].explanation == [])
        #expect(report.failures == 2)
    }

    @Test(arguments: [
        ("allow read /a", "1:1: the file names no rules"),
        ("rules r\nfoo", "2:1: \"foo\" begins no statement"),
        ("rules r\nallow fly /a", "2:6: \"fly\" is not an operation"),
        ("rules r\nallow read a", "2:12: a path begins with a slash"),
        ("rules r\nallow read /a as bob", "2:18: no user bob is declared above"),
        ("rules r\nallow write /a {b: }", "2:20: Unexpected '}'."),
        ("rules r\nallow write /a", "2:15: Unexpected end of input."),
        ("rules r\nallow read /a query {limit: 1}", "2:21: this is not a query"),
        ("rules r\nnow never", "2:4: now needs a number of milliseconds"),
        ("rules r\ndata {\"a.b\": 1}", "2:6: invalid key \"a.b\": it contains \".\""),
    ])
    func `is refused with the place of its fault`(text: String, expected: String) {
        let error = #expect(throws: RuleTestError.self) { try RuleTestFile(Array(text.utf8)) }
        let found = error.map { "\($0.line):\($0.column): \($0.problem)" }
        #expect(found == expected)
        #expect(error?.fix.isEmpty == false)
    }
}

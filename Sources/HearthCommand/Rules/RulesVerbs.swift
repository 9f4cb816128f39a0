internal import CommandLineKit
internal import Rules

extension Verb {
    /// `hearth rules`: documents of rules, without a cluster and in one.
    static let rules = Verb(
        "rules",
        "Checks, tests and installs rules that decide which users may read and write which "
            + "data, in Firebase's language.",
        verbs: [
            rulesCheck, rulesTest, ClusterRulesVerbs.get, ClusterRulesVerbs.set,
            ClusterRulesVerbs.history, ClusterRulesVerbs.writes, ClusterRulesVerbs.simulate,
            ClusterRulesVerbs.audit,
        ],
        examples: [
            "hearth rules check rules.json", "hearth rules test rules.test",
            "hearth rules set rules.json --confirm all",
        ])

    private static let documents = Argument(
        "FILE", "Documents of rules: {\"rules\": {…}}.", arity: .repeated, values: .file)
    private static let tests = Argument(
        "FILE", "Files of cases.", arity: .repeated, values: .file)
    private static let why = Option(
        flag: "why", "Also say why each denied operation of a passed case was denied.")
    private static let coverage = Option(
        flag: "coverage", "Name each part of a rule that was never true or never false.")

    private static let rulesCheck = Verb(
        "check", "Compiles rules, and lists all errors and warnings with line and column.",
        arguments: [documents],
        tables: [warnings],
        examples: ["hearth rules check rules.json"]
    ) { invocation throws(CommandError) in
        for file in invocation.words(of: documents) {
            let document = RulesFile(file)
            let ruleset = try document.read()
            for warning in ruleset.warnings {
                StandardOutput.shared.print(document.line(of: warning))
            }
            StandardOutput.shared.print(
                "\(file): \(counted(ruleset.rules.count, "rule")), "
                    + counted(ruleset.warnings.count, "warning"))
        }
        return .success
    }

    private static let warnings = HelpTable(
        "warnings",
        [
            ("open-root", "Every client may read, or write, the whole tree."),
            ("shadowed", "A rule has no effect, because a rule above it grants the same."),
            ("never-true", "A rule can never be true, whatever the data."),
            (
                "anchor",
                "A regular expression has alternatives and an anchor, which binds all of them."
            ),
            ("size", "The document is longer than the 256 KiB that Firebase accepts."),
        ])

    private static let rulesTest = Verb(
        "test", "Runs test cases for rules, without a cluster. Ends with 1 if a case fails.",
        arguments: [tests], options: [why, coverage],
        tables: [statements, .ruleTestExample],
        examples: [
            "hearth rules test rules.test", "hearth rules test rules.test --why --coverage",
        ]
    ) { invocation throws(CommandError) in
        var failures = 0
        for file in invocation.words(of: tests) {
            let report = try RuleTestRun(file).report()
            var output = RuleTestOutput(file: file)
            output.showsReasons = invocation.has(why)
            output.showsGaps = invocation.has(coverage)
            output.show(report)
            failures += report.failures
        }
        return failures == 0 ? .success : .checkFailed
    }

    private static let statements = HelpTable(
        "statements of a file",
        [
            ("rules FILE", "The document, beside the file of cases."),
            ("data [PATH] VALUE", "The stored data for the following cases."),
            ("user NAME VALUE", "A user: the value of auth, such as {uid: \"ada\"}."),
            ("now MILLISECONDS", "The time of the following cases, since 1970."),
            ("allow …, deny …", "A case with the expected decision. Cases change no data."),
            ("… read PATH [query VALUE]", "Reads, with a query such as {limitToFirst: 5}."),
            ("… write PATH VALUE", "Replaces the value."),
            ("… update PATH VALUE", "Writes several paths at once."),
            ("… delete PATH", "Removes the value."),
            (
                "… as none, as NAME, as VALUE",
                "The user of the operation; without it, no user is signed in."
            ),
        ])
}

extension HelpTable {
    /// A file of cases, line by line.
    static let ruleTestExample = HelpTable(
        "example of a file",
        [
            ("rules rules.json", "The document."),
            ("data  /users/ada {name: \"Ada\"}", "The stored data; # and // begin comments."),
            ("user  ada {uid: \"ada\"}", "A signed-in user."),
            ("allow read  /users/ada as ada", "Passes if she may read it."),
            ("deny  write /users/ada {name: 7} as ada", "Passes if she may not write this."),
        ])
}

/// A number with its noun: 1 rule, 2 rules.
func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

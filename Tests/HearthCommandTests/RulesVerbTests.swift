import Foundation
import Testing

/// `hearth rules`, run as a user would.
@Suite struct `The verb rules` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let rules =
            #"{"rules":{"users":{"$uid":{".read":"auth.uid == $uid"}},"x":{".read":"1 > 2"}}}"#
        try folder.write(Array(rules.utf8), to: "good.json")
        try folder.write(
            Array("{\"rules\":{\n\".read\":\"foo\",\".write\":1}}".utf8), to: "bad.json")
    }

    private func run(_ words: String..., cases: String = "") throws -> Command.Outcome {
        try folder.write(Array(cases.utf8), to: "rules.test")
        return try Command.run(["rules"] + words.map { $0.replacing("@", with: folder.path + "/") })
    }

    @Test func `check names all faults with their places, and exits with 65`() throws {
        let outcome = try run("check", "@bad.json")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("bad.json:2:10: Unknown variable 'foo'.\n"))
        #expect(outcome.errors.contains("bad.json:2:24: Invalid rule expression."))
        #expect(outcome.errors.contains("has 2 faults"))
        #expect(try run("check", "@none.json").status == 66)
    }

    @Test func `check counts rules and warns`() throws {
        let outcome = try run("check", "@good.json")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("warning: .read of /x is never true: 1 > 2 [never-true]\n"))
        #expect(outcome.output.hasSuffix("good.json: 2 rules, 1 warning\n"))
    }

    @Test func `test finds the rules beside the cases, and reports the passed ones`() throws {
        let cases = "rules good.json\nallow read /users/ada as {uid: 'ada'}\ndeny read /users/ada"
        let outcome = try run("test", "@rules.test", cases: cases)
        #expect(outcome.status == 0)
        #expect(
            outcome.output.hasSuffix(
                "rules.test: 2 of 2 cases passed; 2 of 4 outcomes of rules seen\n"))
        let full = try run("test", "@rules.test", "--why", "--coverage", cases: cases)
        #expect(
            full.output.contains(#"auth.uid == $uid is false, as auth.uid is null, $uid is "ada""#))
        #expect(full.output.contains("  line 1: .read of /x was never evaluated\n"))
    }

    @Test func `test exits with 1 where a case fails, and says why`() throws {
        let outcome = try run(
            "test", "@rules.test", cases: "rules good.json\nallow read /users/ada as none")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(":2: FAILED allow read /users/ada as none: it is denied\n"))
        #expect(outcome.output.contains("    no .read holds at or above /users/ada\n"))
    }

    @Test func `test refuses a file of cases with a fault`() throws {
        let outcome = try run("test", "@rules.test", cases: "rules good.json\nallow fly /a")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("rules.test:2:6: \"fly\" is not an operation"))
    }
}

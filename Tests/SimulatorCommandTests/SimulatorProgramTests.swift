import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand
@testable import SimulatorCommand

/// The verbs of `hearth` that `hearth-sim` has.
@Suite struct SimulatorProgramTests {
    /// The paths of the verbs below one that another program has.
    private static func outsideVerbs(below verb: Verb, _ path: [String] = []) -> [[String]] {
        verb.verbs.flatMap { below in
            let path = path + [below.name]
            return below.program == nil ? outsideVerbs(below: below, path) : [path]
        }
    }

    private static let outsideVerbs = outsideVerbs(below: .hearth)

    @Test(arguments: outsideVerbs)
    func `a verb of another program has the same summary there`(path: [String]) throws {
        let (here, _) = try CommandParser(root: .hearth).verb(named: path)
        let (there, _) = try CommandParser(root: .simulator).verb(named: path)
        #expect(there.name == here.name && there.program == nil)
        #expect(there.summary == here.summary)
    }

    @Test(arguments: outsideVerbs)
    func `its help is that of the other program`(path: [String]) throws {
        let (verb, names) = try CommandParser(root: .simulator).verb(named: path)
        for words in [path + ["--help"], ["help"] + path] {
            let outcome = try Command.run(words)
            #expect(outcome.status == 0)
            #expect(outcome.output == HelpText(of: verb, names).text + "\n")
        }
    }

    @Test(arguments: outsideVerbs)
    func `the script that starts hearth builds the other program for it`(path: [String]) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let script = "root=$1; shift; source \"$root/scripts/lib/build.sh\"; needs_simulator \"$@\""
        for words in [path, path + ["--help"]] + (path.count == 1 ? [["help"] + path] : []) {
            #expect(try Command.shell(script, [root] + words).status == 0, "\(words)")
        }
        #expect(try Command.shell(script, [root, "get", "/"]).status == 1)
        #expect(try Command.shell(script, [root, "bench", "append"]).status == 1)
    }

    @Test func `the shell's completion knows its verbs and options`() throws {
        let verbs = try Command.run(["complete", "--", "sim", "re"])
        #expect(verbs.output.hasPrefix("replay\t"))
        #expect(try Command.run(["complete", "--", "sim", "run", ""]).output == ":files\n")
        let options = try Command.run(["complete", "--", "soak", "--chec"])
        #expect(options.output.hasPrefix("--checks\t"))
    }

    @Test func `a program that is missing is named, with what to do`() throws {
        let folder = try TemporaryFolder()
        let alone = folder.path + "/hearth"
        try FileManager.default.copyItem(atPath: Command.program, toPath: alone)
        let outcome = try Command.shell("\"$1\" sim run x.scenario", [alone])
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("/hearth-sim, which does this: No such file"))
        #expect(outcome.errors.contains("fix: run `scripts/install --simulator`"))
    }

    @Test func `every verb has an example that parses as that verb`() throws {
        func check(_ verb: Verb, _ path: [String]) throws {
            for example in verb.examples {
                let words = ShellWords.split(example)
                #expect(words.first == "hearth", "\(example)")
                let parser = CommandParser(root: .simulator)
                guard case .run(let invocation) = try parser.parse(Array(words.dropFirst())) else {
                    Issue.record("\(example) runs no verb")
                    continue
                }
                #expect(invocation.path.dropFirst().starts(with: path), "\(example)")
            }
            for below in verb.verbs { try check(below, path + [below.name]) }
        }
        try check(.simulator, [])
    }
}

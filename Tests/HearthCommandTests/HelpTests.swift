import Foundation
import Testing

@testable import ClusterAdministration
@testable import CommandLineKit
@testable import HearthCommand

@Suite struct `Help` {
    private func help(_ words: String...) throws -> String {
        let (verb, path) = try CommandParser(root: .hearth).verb(named: words)
        return HelpText(of: verb, path).text
    }

    @Test func `of the whole lists every exit code with its sentence`() throws {
        let text = try help()
        for status in ExitStatus.allCases {
            #expect(text.contains("\n  \(status.rawValue) "), "\(status)")
        }
        #expect(text.contains("exit codes:"))
        #expect(text.contains("HEARTH_DIR"))
        #expect(!text.contains("\n  complete "), "it is for programs")
    }

    @Test func `begins with the purpose and examples, and ends with the common options`() throws {
        let titles = try help("set").split(separator: "\n").filter { $0.hasSuffix(":") }
        #expect(titles == ["examples:", "arguments:", "options:", "common options:"])
        let options = try help("set").components(separatedBy: "\ncommon options:\n")
        #expect(options[0].contains("--concern") && !options[0].contains("--node NODE"))
        for option in ["--node", "--dir", "--config", "--secret", "--token", "--timeout", "--help"]
        {
            #expect(options[1].contains("  \(option) ") || option == "--help", "\(option)")
        }
        #expect(options[1].hasSuffix("Show this help."))
        #expect(try help("version").contains("\noptions:\n  -h, --help"))
    }

    @Test func `of a verb lists the verbs below it by their purposes alone`() throws {
        let text = try help()
        #expect(
            text.contains(
                "\n  restore        Replaces the databases of a stopped node by those of a backup.\n"
            )
        )
        #expect(!text.contains("The old files"))
        #expect(try help("restore").contains("The old files"))
    }

    @Test func `of status explains each column and state that it shows`() throws {
        let text = try help("cluster", "status")
        let header = StatusTable([]).lines[0].split(separator: " ")
        #expect(header.count == StatusTable.legend.rows.count)
        for title in header { #expect(text.contains("\n  \(title) "), "\(title)") }
        for state in ObservedNode.State.allCases {
            #expect(text.contains("\n  \(state.rawValue) "))
        }
        #expect(text.contains("69"))
    }

    @Test func `of a verb that does not exist names the nearest`() {
        let error = #expect(throws: CommandError.self) { try help("cluster", "stats") }
        #expect(error?.fix == "did you mean `hearth cluster status`?")
        let below = #expect(throws: CommandError.self) { try help("get", "up") }
        #expect(below?.status == .usage)
    }

    @Test func `kill claims no power failure`() throws {
        #expect(try help("cluster", "kill").contains("this is not a power failure"))
    }

    @Test func `and the manual page have the same text`() {
        let page = ManualPage(for: .hearth, version: "1", of: "2026-01-01").text
        func check(_ verb: Verb) {
            if verb.verbs.isEmpty {
                #expect(page.contains(ManualPage.escaped(verb.summary)), "\(verb.name)")
            }
            for option in verb.options {
                #expect(page.contains(ManualPage.escaped(option.explanation)), "\(option.name)")
            }
            verb.shownVerbs.forEach(check)
        }
        check(.hearth)
        #expect(page.contains(".SH EXIT CODES"))
    }

    @Test func `escapes the control characters of roff`() {
        #expect(ManualPage.escaped(".a-b\\'c\"`…") == "\\&.a\\-b\\e\\(aqc\\(dq\\(ga\\[u2026]")
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc"), "needs mandoc"))
    func `makes a manual page that mandoc has no complaints about`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/hearth.1"
        try (ManualPage(for: .hearth, version: "1", of: "2026-01-01").text + "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/mandoc")
        process.arguments = ["-T", "lint", "-W", "warning", file]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: text, as: UTF8.self))")
    }
}

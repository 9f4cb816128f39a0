import ClusterSimulator
import Foundation
import Testing

/// The seeded bugs, which `scripts/seeded-bugs` plants, cover all checks.
@Suite struct SeededBugTests {
    @Test func `each check finds a seeded bug, in a scenario that there is`() throws {
        var checks: Set<Check> = []
        for bug in try bugs() {
            for line in bug.split(separator: "\n") where line.hasPrefix("Found by: ") {
                let words = line.split(separator: " ").dropFirst(2).map(String.init)
                try #require(2...3 ~= words.count, "\(line)")
                _ = try ScenarioFiles.scenario(words[0])
                if let check = Check(rawValue: words[1]) { checks.insert(check) }
            }
        }
        #expect(Set(Check.allCases).subtracting(checks).isEmpty)
    }

    @Test func `the page lists each check with its guarantee`() throws {
        let page = try String(
            contentsOf: ScenarioFiles.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n")
        for check in Check.allCases {
            #expect(lines.count { $0.hasPrefix("| `\(check.rawValue)` | ") } == 1, "\(check)")
        }
    }

    private func bugs() throws -> [String] {
        let folder = ScenarioFiles.folder.appendingPathComponent("seeded-bugs")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".bug") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }
}

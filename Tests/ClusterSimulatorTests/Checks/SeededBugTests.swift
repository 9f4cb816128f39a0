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
                if let check = Check.named(words[1]) { checks.insert(check) }
            }
        }
        #expect(Set(Check.all).subtracting(checks).isEmpty)
    }

    @Test func `the page has the row of each check, in the order of the table`() throws {
        let page = try String(
            contentsOf: ScenarioFiles.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let names = Set(Check.all.map { "| `\($0.name)` " })
        let rows = page.split(separator: "\n").map(String.init).filter { line in
            names.contains { line.hasPrefix($0) }
        }
        #expect(
            rows == Check.all.map(\.row), "replace the rows by those of hearth sim checks --page")
    }

    private func bugs() throws -> [String] {
        let folder = ScenarioFiles.folder.appendingPathComponent("seeded-bugs")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".bug") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }
}

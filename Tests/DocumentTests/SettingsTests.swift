import Foundation
import Testing

/// The pages describe each setting of the configuration file, in one table each.
@Suite struct SettingsTests {
    /// The keys that a type of a file's source reads: those behind its `CodingKeys`.
    private static func keys(of type: String, in source: String) throws -> [String] {
        let text = try Repository.text("Sources/ClusterConfiguration/\(source)")
        let start = try #require(text.range(of: "struct \(type): StrictlyDecodable"))
        let enumeration = try #require(
            text.range(of: "CodingKey, CaseIterable {", range: start.upperBound..<text.endIndex))
        return text[enumeration.upperBound...].prefix(while: { $0 != "}" })
            .split(separator: "\n").flatMap { line -> [String] in
                let line = line.trimmingCharacters(in: .whitespaces)
                guard line.hasPrefix("case ") else { return [] }
                if let name = line.firstMatch(of: /= "(\w+)"/) { return [String(name.output.1)] }
                return line.dropFirst("case ".count).split(separator: ",")
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    @Test(arguments: [
        ("Key", "Document", "ConfigurationFile.swift", "Sources/Hearth/Hearth.docc/Setup.md"),
        (
            "Key of a node", "Node", "ConfigurationFile.swift",
            "Sources/Hearth/Hearth.docc/Setup.md"
        ),
        (
            "Key of `http`", "HTTP", "ConfigurationFile.swift",
            "Sources/Hearth/Hearth.docc/Setup.md"
        ),
    ])
    func `each key of the file has a row`(
        header: String, type: String, source: String, page: String
    ) throws {
        let tables = TableTests.tables(in: try Repository.text(page))
        let table = try #require(tables.first { $0[0].cells[0] == header })
        let rows = table.dropFirst(2).flatMap { row in
            row.cells[0].matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        #expect(rows.sorted() == (try Self.keys(of: type, in: source)).sorted())
    }

    @Test func `the architecture can be read in twenty minutes`() throws {
        let lines = try Repository.text("ARCHITECTURE.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 331, "330 lines, and the end of the last one")
    }
}

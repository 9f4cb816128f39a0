import Foundation
import Testing

/// The tables of the pages are whole.
@Suite struct TableTests {
    /// A line of a table: its number, and its cells without the spaces around them.
    struct Row {
        let line: Int
        let cells: [String]

        init?(_ text: Substring, at line: Int) {
            let text = text.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix("|") else { return nil }
            self.line = line
            cells = Self.cells(of: text)
        }

        /// Bars within code, and those behind a backslash, separate no cells.
        private static func cells(of text: String) -> [String] {
            var cells = [""]
            var isCode = false
            var isEscaped = false
            for character in text.dropFirst() {
                if character == "`" { isCode.toggle() }
                if character == "|", !isCode, !isEscaped {
                    cells.append("")
                } else {
                    cells[cells.count - 1].append(character)
                }
                isEscaped = character == "\\"
            }
            if cells.last?.allSatisfy(\.isWhitespace) == true, text.count > 1 { cells.removeLast() }
            return cells.map { $0.trimmingCharacters(in: .whitespaces) }
        }

        /// Whether it separates the header from the rows.
        var isSeparator: Bool {
            !cells.isEmpty && cells.allSatisfy { $0.contains(/^:?-+:?$/) }
        }
    }

    /// The tables of a page, each with its header first; lines in code blocks are no rows.
    static func tables(in text: String) -> [[Row]] {
        var tables: [[Row]] = []
        var isCode = false
        var isTable = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, let row = Row(line, at: index + 1) else {
                isTable = false
                continue
            }
            if isTable { tables[tables.count - 1].append(row) } else { tables.append([row]) }
            isTable = true
        }
        return tables
    }

    @Test(arguments: Repository.files("md"))
    func `every row of a table has as many cells as the header`(document: String) throws {
        let lines = try Repository.text(document).split(
            separator: "\n", omittingEmptySubsequences: false)
        for table in Self.tables(in: lines.joined(separator: "\n")) {
            let header = table[0]
            #expect(
                table.count > 1 && table[1].isSeparator,
                "\(document):\(header.line) begins a table without a header")
            for row in table {
                #expect(
                    row.cells.count == header.cells.count,
                    "\(document):\(row.line) has \(row.cells.count) cells of \(header.cells.count)")
            }
            // A line behind the last row belongs to the table, and so is a broken row.
            let next = table[table.count - 1].line
            #expect(
                next == lines.count || lines[next].isEmpty || lines[next].hasPrefix("```"),
                "\(document):\(next + 1) continues a table without being a row")
        }
    }

    @Test func `rows are read with code, escapes and missing cells`() {
        let text = """
            | a | b |
            |---|:-:|
            | `x|y` | z\\|z |
            | one |
            tail

            ```
            | code |
            ```
            """
        let tables = Self.tables(in: text)
        #expect(tables.count == 1)
        #expect(tables[0].map(\.cells.count) == [2, 2, 2, 1])
        #expect(tables[0][1].isSeparator && !tables[0][2].isSeparator)
        #expect(tables[0][2].cells == ["`x|y`", "z\\|z"])
    }

    @Test func `every target of the package has one row in ARCHITECTURE.md`() throws {
        let tables = Self.tables(in: try Repository.text("ARCHITECTURE.md"))
        let table = try #require(tables.first { $0[0].cells == ["Target", "Contents"] })
        let named = table.dropFirst(2).flatMap { row in
            row.cells[0].matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        let package = try Repository.text("Package.swift")
        let targets = package.matches(
            of: /(?:module|tool|\.(?:target|executableTarget|systemLibrary))\(\s*(?:name: )?"(\w+)"/
        ).map { String($0.output.1) }
        #expect(targets.count > 30)
        #expect(Set(targets).count == targets.count)
        #expect(named.sorted() == targets.sorted())
    }
}

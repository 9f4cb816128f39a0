import Foundation
import Testing

/// The glossary names what is in the code, and each thing once.
@Suite struct GlossaryTests {
    /// One row of a table.
    struct Term: CustomTestStringConvertible, Sendable {
        let name: String
        /// The names between backquotes in the column of the code.
        let code: [String]

        var testDescription: String { name }

        init?(row: Substring) {
            let cells = row.split(separator: " | ", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "| ")) }
            guard row.hasPrefix("| "), cells.count == 4, cells[0] != "Term" else { return nil }
            name = cells[0]
            code = cells[2].matches(of: /`([^`]+)`/).map { String($0.output.1) }
        }
    }

    static let terms: [Term] = ((try? Repository.text("GLOSSARY.md")) ?? "")
        .split(separator: "\n").compactMap(Term.init(row:))

    private static let sources: String = Repository.files("swift", under: "Sources")
        .compactMap { try? Repository.text($0) }.joined(separator: "\n")

    /// The types that the package declares.
    private static let types: Set<String> = {
        let declaration = /\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/
        return Set(sources.matches(of: declaration).map { String($0.output.1) })
    }()

    /// All other names in the code.
    private static let names: Set<Substring> = Set(
        sources.split { !($0.isLetter || $0.isNumber || $0 == "_") })

    @Test func `there are terms`() { #expect(Self.terms.count > 50) }

    @Test(arguments: terms)
    func `every type, member and folder that a term names exists`(term: Term) {
        for name in term.code {
            if name.contains("/") {
                #expect(Repository.exists(name), "\(term.name): \(name)")
            } else if name.first?.isUppercase == true {
                #expect(Self.types.contains(name), "\(term.name): \(name)")
            } else {
                #expect(Self.names.contains(Substring(name)), "\(term.name): \(name)")
            }
        }
    }

    /// The words of earlier versions that the sources no longer have.
    static let retired: [String] = ((try? Repository.text("GLOSSARY.md")) ?? "")
        .matches(of: /(\w+) \\\*/).map { String($0.output.1) }

    @Test func `no source says a retired word`() throws {
        #expect(Self.retired.count >= 5)
        for path in Repository.files("swift", under: "Sources") {
            let words = try Repository.text(path).lowercased()
                .split { !($0.isLetter || $0.isNumber || $0 == "_") }
            let found = Set(words.map(String.init)).intersection(Self.retired)
            #expect(found.isEmpty, "\(path): \(found.sorted())")
        }
    }

    @Test func `every term has one row`() {
        let names = Self.terms.map(\.name)
        #expect(Set(names).count == names.count)
    }
}

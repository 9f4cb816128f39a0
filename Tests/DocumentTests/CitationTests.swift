import Foundation
import Testing

/// The files and sections that comments and documents refer to exist.
@Suite struct CitationTests {
    /// The documents of the package by their names.
    private static let documents: [String: [String]] = Dictionary(
        grouping: Repository.files("md") + Repository.files("py"),
        by: { URL(fileURLWithPath: $0).lastPathComponent })

    private static func citations() throws -> [Citation] {
        let sources =
            Repository.files("swift", under: "Sources") + Repository.files("swift", under: "Tests")
            + Repository.files("md")
        return try sources.flatMap { Citation.all(in: try Repository.text($0), of: $0) }
    }

    @Test func `every document that is cited exists, once`() throws {
        let citations = try Self.citations()
        #expect(citations.count > 40)
        for citation in citations {
            #expect(Self.documents[citation.document]?.count == 1, "\(citation)")
        }
    }

    @Test func `every section and every rule that is cited exists`() throws {
        let citations = try Self.citations().filter { $0.place != nil }
        #expect(citations.count > 30)
        for citation in citations {
            guard let path = Self.documents[citation.document]?.first, let place = citation.place
            else { continue }
            let places = CitedDocument(try Repository.text(path)).places
            #expect(places.contains(place), "\(citation)")
        }
    }

    @Test(arguments: [
        ("/// As in `convergence.md`,\n    /// sections 2 to 5 and 7.", ["2", "5", "7"]),
        ("// Source: `firebase-semantics.md`, rules P1-P9; unlike", ["P1", "P9"]),
        ("`convergence.md`, section 7.9, and", ["7.9"]),
        ("`guarantees.md`, E1 to E6.", ["E1", "E6"]),
        ("`convergence_model.py` cases", [nil]),
    ])
    func `a citation names its places`(text: String, places: [String?]) {
        #expect(Citation.all(in: text, of: "").map(\.place) == places)
    }
}

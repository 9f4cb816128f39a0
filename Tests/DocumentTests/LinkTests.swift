import Foundation
import Testing

/// The links between documents lead somewhere.
@Suite struct LinkTests {
    @Test(arguments: Repository.files("md"))
    func `every link to a file or a heading of the package is good`(document: String) throws {
        let folder = (document as NSString).deletingLastPathComponent
        for match in try Repository.text(document).matches(of: /\]\(([^)\s]+)\)/) {
            let target = String(match.output.1)
            guard !target.contains("://") else { continue }
            let parts = target.split(separator: "#", omittingEmptySubsequences: false)
            let path =
                parts[0].isEmpty
                ? document : (folder as NSString).appendingPathComponent(String(parts[0]))
            #expect(Repository.exists(path), "\(document) links to \(target)")
            guard parts.count > 1, path.hasSuffix(".md"), Repository.exists(path) else { continue }
            let anchors = Self.anchors(in: try Repository.text(path))
            #expect(anchors.contains(String(parts[1])), "\(document) links to \(target)")
        }
    }

    /// The anchors that a page's headings have, as the usual viewers make them.
    private static func anchors(in text: String) -> Set<String> {
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                    .replacingOccurrences(of: " ", with: "-")
            })
    }

    /// Pages for those who read or change the code, which name its files.
    static let guides = ["ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "README.md"]
        .filter(Repository.exists)

    @Test(arguments: guides)
    func `every source file that a guide names exists`(guide: String) throws {
        let files = Repository.files("swift") + Repository.files("md") + Repository.files("py")
        let names = try Repository.text(guide).matches(of: /`([\w\/-]+\.(?:swift|md|py))`/)
        for name in names.map(\.output.1) {
            #expect(
                files.contains { $0 == name || $0.hasSuffix("/" + name) }, "\(guide) names \(name)")
        }
    }
}

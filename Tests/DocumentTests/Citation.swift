import Foundation

/// A place in a document that a comment or another document names: `convergence.md`, section 6.
struct Citation: Hashable, CustomStringConvertible {
    let source: String
    let document: String
    /// A section (`6`), an item of one (`7.9`) or a rule (`E1`); nil for the document as a whole.
    let place: String?

    var description: String { "\(source) cites \(document)" + (place.map { ", \($0)" } ?? "") }

    /// The citations in a text, in their order.
    static func all(in text: String, of source: String) -> [Citation] {
        // A citation may go over the end of a comment's line.
        let joined = text.replacing(/\n[ \t]*\/{2,3}[ \t]?/, with: " ")
        let item = "[A-Z]{0,2}\\d+(?:\\.\\d+)*"
        let pattern =
            "`([a-z][a-z_-]*\\.(?:md|py))`(?:,\\s+(?:(?:sections?|rules?|items?)\\s+)?"
            + "(\(item)(?:(?:, | and | to |-)\(item))*))?"
        guard let expression = try? Regex(pattern) else { return [] }
        return joined.matches(of: expression).flatMap { match -> [Citation] in
            let document = match.output[1].substring.map(String.init) ?? ""
            let places = match.output[2].substring.map { Citation.places(in: String($0)) } ?? []
            return (places.isEmpty ? [nil] : places.map(Optional.some)).map {
                Citation(source: source, document: document, place: $0)
            }
        }
    }

    /// The places of a list such as `2 to 5 and 7` or `P1-P9`; of a range its ends.
    private static func places(in list: String) -> [String] {
        list.split { !($0.isLetter || $0.isNumber || $0 == ".") }
            .map(String.init).filter { $0 != "and" && $0 != "to" }
    }
}

/// The places in a document that may be cited.
struct CitedDocument {
    private(set) var places: Set<String> = []

    init(_ text: String) {
        var section = ""
        for line in text.split(separator: "\n") {
            if let heading = line.firstMatch(of: /^#{2,4} (\d+(?:\.\d+)*)/) {
                section = String(heading.output.1)
                places.insert(section)
            } else if let item = line.firstMatch(of: /^(\d+)\.\s/) {
                places.insert("\(section).\(item.output.1)")
            } else if let rule = line.firstMatch(of: /^(?:\|\s|-\s)?([A-Z]{1,2}\d+)\s/) {
                places.insert(String(rule.output.1))
            }
        }
    }
}

import Foundation
import Testing

/// The pages have sentences of readable length, and say nothing that depends on the day.
@Suite struct SentenceTests {
    /// The running text of a page: its paragraphs and list items, without code, tables and headings.
    static func paragraphs(of text: String) -> [String] {
        var paragraphs: [String] = []
        var words: [Substring] = []
        var isCode = false
        func end() {
            if !words.isEmpty { paragraphs.append(words.joined(separator: " ")) }
            words = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let body = line.drop { $0 == " " }
            if body.hasPrefix("```") { isCode.toggle() }
            if isCode || body.isEmpty || body.contains(/^(?:```|\||#|>|<)/) {
                end()
                continue
            }
            if body.contains(/^(?:[-*]|\d+\.)\s/) { end() }
            words.append(body)
        }
        end()
        return paragraphs
    }

    /// The numbers of words in the sentences of a paragraph; code between backquotes is one word.
    static func lengths(in paragraph: String) -> [Int] {
        let plain = paragraph.replacing(/`[^`]*`/, with: "X")
            .replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
            .replacing(/([.!?:;])\s+(?=[A-Z("*`\[])/) { "\($0.output.1)\n" }
        return plain.split(separator: "\n").map { $0.split(separator: " ").count }
    }

    @Test(arguments: Repository.files("md"))
    func `a sentence has at most 35 words`(page: String) throws {
        for paragraph in Self.paragraphs(of: try Repository.text(page)) {
            let longest = Self.lengths(in: paragraph).max() ?? 0
            #expect(longest <= 35, "\(page): \(longest) words in \(paragraph.prefix(200))")
        }
    }

    @Test(arguments: Repository.files("md").filter { $0 != "CHANGELOG.md" && $0 != "RESULTS.md" })
    func `only the changelog and the results depend on the day`(page: String) throws {
        let text = try Repository.text(page)
        let dates = text.matches(of: /(?:^|[^\/\d])(\d{4}-\d{2}-\d{2})\b(?!T)/).map { $0.output.1 }
        #expect(dates.isEmpty, "\(page): \(dates)")
        for paragraph in Self.paragraphs(of: text) {
            let plain = paragraph.replacing(/`[^`]*`/, with: "X")
            #expect(!plain.contains(/\b(?:[Nn]ow|[Tt]oday|[Nn]owadays)\b/), "\(page): \(paragraph)")
        }
    }

    @Test func `sentences are counted without code, links and tables`() {
        let text = """
            # A heading of several words

            One two `three four`. [Five six](seven.md) eight
            nine: ten. Eleven.
            - An item.

            | a | b |
            """
        let paragraphs = Self.paragraphs(of: text)
        #expect(paragraphs.count == 2)
        #expect(paragraphs.map(Self.lengths) == [[3, 5, 1], [3]])
    }
}

/// Says what is wrong in a scenario file, where, and what would be right.
public struct ScenarioError: Error, Equatable, Sendable {
    /// Names the offending word and its place, such as `unknown word "looss" at 4:18`.
    public let problem: String
    /// What to write instead, such as `did you mean "loss"?`.
    public let fix: String
    /// Counted from 1.
    public let line: Int
    /// Counted in bytes from 1.
    public let column: Int
}

extension ScenarioError: CustomStringConvertible {
    /// The text of it.
    public var description: String { "\(problem): \(fix)" }
}

extension ScenarioError {
    static func unknown(_ word: ScenarioWord, known: [String]) -> ScenarioError {
        let fix: String
        if let nearest = Spelling.nearest(to: word.text, among: known) {
            fix = "did you mean \"\(nearest)\"?"
        } else {
            fix = "use one of \(known.joined(separator: ", "))"
        }
        return ScenarioError(
            problem: "unknown word \"\(word.text)\" at \(word.line):\(word.column)", fix: fix,
            line: word.line, column: word.column)
    }

    static func expected(_ wanted: String, found word: ScenarioWord) -> ScenarioError {
        let found = word.isEnd ? "the end of the line" : "\"\(word.text)\""
        return ScenarioError(
            problem: "found \(found) at \(word.line):\(word.column)", fix: "expected \(wanted)",
            line: word.line, column: word.column)
    }
}

/// Finds the known word that was probably meant.
enum Spelling {
    /// The known word that takes the fewest changes to get to, or nil if none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let limit = max(1, word.utf8.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(Array(word.utf8), Array(candidate.utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The changes of one character, or exchanges of two neighbours, from one word to the other.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}

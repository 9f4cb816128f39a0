/// Finds the word that a user who mistyped probably meant.
enum Suggestion {
    /// The nearest of `candidates`, or nil if none is near: at most a third of the letters differ,
    /// or the word is the beginning of one.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let near = candidates.map { ($0, distance(word, $0)) }
            .filter { $0.1 <= limit }
            .min { $0.1 < $1.1 }
        if let near { return near.0 }
        let isWorthCompleting = word.drop { $0 == "-" }.count >= 2
        return isWorthCompleting ? candidates.first { $0.hasPrefix(word) } : nil
    }

    /// How many letters must be added, removed, replaced or exchanged with their neighbour.
    ///
    /// Source: optimal string alignment, a form of Damerau's and Levenshtein's distance.
    package static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var cost = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}

// Which known word somebody who mistyped probably meant: for errors of command lines, configurations and scenarios.

/// The known word that takes the fewest changes to get to, or nil if none is near: at most a third of the letters
/// differ.
package func nearestWord(to word: String, among known: [String]) -> String? {
    let limit = max(1, word.count / 3)
    return known.map { ($0, editDistance(word, $0)) }.filter { $0.1 <= limit }
        .min { $0.1 < $1.1 }?.0
}

/// How many letters must be added, removed, replaced or exchanged with their neighbour.
///
/// Source: optimal string alignment, a form of Damerau's and Levenshtein's distance.
package func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
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

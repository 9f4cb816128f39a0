internal import CommandLineKit

/// The columns of a table that fit on a line, with two spaces between them.
struct ColumnSelection {
    /// The indices of the columns, in the order of the table.
    let columns: [Int]
    private let omitted: [String]

    /// - Parameters:
    ///   - ranked: The titles of the most important columns, the most important first; the others follow in their order.
    ///   - required: The number of ranked columns that are shown even if they do not fit.
    init(
        _ titles: [String], widths: [Int], ranked: [String], required: Int, within limit: Int
    ) {
        let order = ranked + titles.filter { !ranked.contains($0) }
        var chosen: [Int] = []
        var end = -2
        for (rank, title) in order.enumerated() {
            guard let column = titles.firstIndex(of: title) else { continue }
            guard rank < required || limit - end >= widths[column] + 2 else { continue }
            chosen.append(column)
            end += widths[column] + 2
        }
        columns = chosen.sorted()
        omitted = titles.indices.filter { !chosen.contains($0) }.map { titles[$0] }
    }

    /// The lines that name the omitted columns; none if there are none.
    func omission(within limit: Int) -> [String] {
        guard let last = omitted.last else { return [] }
        let words =
            ["omitted:"] + omitted.dropLast().map { $0 + "," }
            + [last + ";", "a wider terminal or --json shows them"]
        return words.reduce(into: [""]) { lines, word in
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = word
            } else if line.count + 1 + word.count <= limit {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(word)
            }
        }
    }
}

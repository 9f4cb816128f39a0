internal import DataTree
internal import QueryEngine

/// Some rows of a list, and the number of all.
struct ConsoleRows {
    var from: Int
    var total: Int
    var rows: [ConsoleRow]
    /// The location itself.
    var location: ConsoleRow
}

/// The request for a part of a list that is too long to be sorted for a page. The replica reads the part from an index.
struct ConsolePart {
    /// The order, and the limit from the side of the window's first row.
    let query: Query
    /// How many children are before the first row.
    let skip: Int
    private let total: Int
    private let location: ConsoleRow

    /// The part of a value's children from a rank on; as much as the last rows, if the rank is beyond them.
    init?(of value: Value, from rank: Int, at place: ConsoleWindow.Place) {
        total = value.children.count
        skip = max(0, min(rank, total - place.count))
        location = ConsoleRow(of: value, at: place.path)
        guard
            let query = try? Query(by: place.order),
            let limited = try? place.isDescending
                ? query.limited(toLast: place.count) : query.limited(toFirst: place.count)
        else { return nil }
        self.query = limited
    }

    /// The rows of the answer, whose children are ascending by key.
    func rows(from answer: Value, at place: ConsoleWindow.Place) -> ConsoleRows {
        let children = answer.children.ordered(by: place.order)
        let rows = children.map { ConsoleRow(key: $0, value: $1, hasFields: place.hasFields) }
        return ConsoleRows(
            from: skip, total: total, rows: place.isDescending ? rows.reversed() : rows,
            location: location)
    }
}

extension Query {
    /// A query in an order, without limits.
    fileprivate init(by order: ChildOrder) throws(DataError) {
        self =
            switch order {
            case .key: try Query().orderedByKey()
            case .value: try Query().orderedByValue()
            case .priority: try Query().orderedByPriority()
            case .child(let path):
                try Query().ordered(byChild: path.keys.map(\.text).joined(separator: "/"))
            }
    }
}

extension ConsoleRow {
    /// The row of a location itself.
    init(of value: Value, at path: Path) {
        self.init(key: path.last ?? Key(unchecked: ""), value: value)
    }
}

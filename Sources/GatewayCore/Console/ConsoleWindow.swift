internal import DataTree
internal import JSONText
internal import QueryEngine

/// A part of the children of one location that a page of the console shows: some hundred rows from a rank or a key on.
///
/// It holds the rows that the page has. Each new value of the location gives a message with the rows that differ.
struct ConsoleWindow {
    /// The most rows of a window, and of one whose rows have fields.
    static let rowLimit = 256
    static let tableRowLimit = 100
    /// The page learns a new number of children at most this often, if no row differs.
    static let totalMilliseconds: UInt64 = 1_000

    /// Which children a window shows.
    struct Place: Equatable {
        enum Start: Equatable {
            case rank(Int)
            case key(Key)
        }

        var path: Path
        var start: Start
        var count: Int
        var order = ChildOrder.key
        /// Whether the last child in the order is the first row.
        var isDescending: Bool
        /// Whether the rows have the fields of their children, for a table.
        var hasFields = false
    }

    private(set) var place: Place
    /// The request for the value that the replica has not answered.
    var request: UInt64?
    /// When the next value is due.
    var dueMilliseconds: UInt64 = 0
    /// The rows that the page has.
    private var shown: ConsoleRows?
    /// The children that were sorted last.
    private var list: ConsoleList?
    /// The part of a long list that the replica was asked for.
    private var part: ConsolePart?
    private var toldMilliseconds: UInt64 = 0
    /// The refusal that the page has been sent.
    private var failure: String?

    init(_ place: Place) { self.place = place }

    /// Shows other children; rows that the page has already are not sent again.
    mutating func move(to next: Place) {
        if !next.showsSameList(as: place) { shown = nil }
        place = next
        (failure, part) = (nil, nil)
    }

    /// How long the next read waits: lists that are sorted are read less often.
    var intervalMilliseconds: UInt64 {
        place.order == .key
            ? ConsoleSession.windowMilliseconds : 5 * ConsoleSession.windowMilliseconds
    }

    /// The part to request once the location has a value whose children are too many to be sorted; nil for other values.
    mutating func partToRequest(of value: Value) -> ConsolePart? {
        guard part == nil, case .rank(let rank) = place.start,
            !ConsoleList.mayHold(value.children, by: place.order)
        else { return nil }
        part = ConsolePart(of: value, from: rank, at: place)
        return part
    }

    /// Returns the message with what differs from the rows that the page has; nil if nothing does.
    ///
    /// - Parameter value: The location's value, or the part of it that was requested.
    mutating func show(_ value: Value, as id: Int, at milliseconds: UInt64) -> [UInt8]? {
        guard let next = part.take()?.rows(from: value, at: place) ?? rows(of: value) else {
            let limit = ConsoleList.sortLimit
            return refuse(
                "too_big",
                "among more than \(limit) children, a key is found only in the order of keys",
                "choose that order", as: id)
        }
        return show(next, as: id, at: milliseconds)
    }

    private mutating func show(
        _ next: ConsoleRows, as id: Int, at milliseconds: UInt64
    ) -> [UInt8]? {
        let hadFailed = failure != nil
        failure = nil
        guard let shown, !hadFailed else {
            self.shown = next
            toldMilliseconds = milliseconds
            return message(id, next, rows: next.rows.map(\.json), isFirst: true)
        }
        let rows = differences(of: next, from: shown)
        let isSame =
            rows == nil && next.from == shown.from
            && next.location.isSame(as: shown.location)
        if isSame, next.total == shown.total { return nil }
        let isSummary = isSame || rows == nil && next.from == shown.from
        if isSummary, milliseconds < toldMilliseconds + ConsoleWindow.totalMilliseconds {
            return nil
        }
        self.shown = next
        toldMilliseconds = milliseconds
        let all = rows ?? next.rows.indices.map { "\($0)" }
        return message(id, next, rows: all, isFirst: false)
    }

    /// Returns the message that the rules or the node refuse the location; nil if the page has it already.
    mutating func refuse(_ code: String, _ problem: String, _ fix: String, as id: Int) -> [UInt8]? {
        part = nil
        guard failure != code + problem else { return nil }
        failure = code + problem
        shown = nil
        return ConsoleText.refusal(of: id, code, problem, fix)
    }

    /// The rows of a value; nil if its children are too many to be sorted.
    private mutating func rows(of value: Value) -> ConsoleRows? {
        guard let list = list(of: value.children) else { return nil }
        let total = list.count
        var from = 0
        switch place.start {
        case .rank(let rank): from = rank
        case .key(let key):
            let rank = list.rank(of: key)
            // The first row is the key itself, or the next one that is there in this direction.
            let isThere = place.order != .key || list.children.contains(key)
            from = place.isDescending ? total - (isThere ? rank + 1 : rank) : rank
        }
        from = max(0, min(from, total - place.count))
        let end = min(from + place.count, total)
        let ranks = place.isDescending ? total - end..<total - from : from..<end
        var rows = list.rows(in: ranks, withFields: place.hasFields)
        if place.isDescending { rows.reverse() }
        return ConsoleRows(
            from: from, total: total, rows: rows, location: ConsoleRow(of: value, at: place.path))
    }

    /// The children in the window's order, which are sorted again only after a change.
    private mutating func list(of children: Children) -> ConsoleList? {
        if let list, list.order == place.order, list.children.isShared(with: children) {
            return list
        }
        let next = ConsoleList(of: children, by: place.order)
        list = place.order == .key ? nil : next
        return next
    }

    /// The rows of a message: a row that the page has is its position there, as JSON. Nil if all rows are where they were.
    private func differences(of next: ConsoleRows, from old: ConsoleRows) -> [String]? {
        var positions: [Key: Int] = [:]
        for (index, row) in old.rows.enumerated() { positions[row.key] = index }
        var isSame = next.rows.count == old.rows.count
        let rows = next.rows.enumerated().map { index, row in
            if let position = positions[row.key], row.isSame(as: old.rows[position]) {
                isSame = isSame && position == index
                return "\(position)"
            }
            isSame = false
            return row.json
        }
        return isSame ? nil : rows
    }

    private func message(_ id: Int, _ shown: ConsoleRows, rows: [String], isFirst: Bool) -> [UInt8]
    {
        ConsoleText.rows(
            of: id, from: shown.from, total: shown.total, location: shown.location.json,
            rows: rows, isFirst: isFirst)
    }
}

extension ConsoleWindow.Place {
    /// Whether rows of one place are rows of the other one as well.
    fileprivate func showsSameList(as other: ConsoleWindow.Place) -> Bool {
        path == other.path && order == other.order && isDescending == other.isDescending
            && hasFields == other.hasFields
    }
}

import DataTree
import QueryEngine
import ReplicaCore

/// A query of a dense program as its parts, so that others are drawn that differ in one part alone.
struct DenseFilter {
    private enum Order: Int, CaseIterable {
        case key, value, priority, nested, number
    }

    private struct Bound {
        var value: Value
        var key: String?
        var isInclusive: Bool
    }

    private var order: Order
    private var start: Bound?
    private var end: Bound?
    private var limit: (count: Int, isFirst: Bool)?

    /// An order, and mostly a range, a limit, or both.
    init(_ random: inout SplitMix64) {
        order = Order(rawValue: random.index(below: 6)) ?? .number
        start = drawBound(&random)
        end = drawBound(&random)
        limit = drawLimit(&random)
    }

    /// The same but for one part.
    func varied(_ random: inout SplitMix64) -> DenseFilter {
        var filter = self
        switch random.index(below: 8) {
        case 0, 1: filter.start?.isInclusive.toggle()
        case 2, 3: filter.end?.isInclusive.toggle()
        case 4: filter.start = drawBound(&random)
        case 5: filter.end = drawBound(&random)
        case 6: filter.limit = drawLimit(&random)
        default: filter.limit?.isFirst.toggle()
        }
        return filter
    }

    /// The query; everything where it would be refused.
    var query: Query { (try? built()) ?? Query() }

    private func built() throws(DataError) -> Query {
        var query = Query()
        switch order {
        case .key: query = try query.orderedByKey()
        case .value: query = try query.orderedByValue()
        case .priority: query = try query.orderedByPriority()
        case .nested: query = try query.ordered(byChild: "s/t")
        case .number: query = try query.ordered(byChild: "n")
        }
        if let start {
            query =
                try start.isInclusive
                ? query.starting(at: start.value, key: start.key)
                : query.starting(after: start.value, key: start.key)
        }
        if let end {
            query =
                try end.isInclusive
                ? query.ending(at: end.value, key: end.key)
                : query.ending(before: end.value, key: end.key)
        }
        guard let limit else { return query }
        return try limit.isFirst
            ? query.limited(toFirst: limit.count) : query.limited(toLast: limit.count)
    }

    // MARK: What it shows

    /// The part of a value that it shows.
    func shown(of value: Value) -> Value {
        let query = query
        guard query.isFiltered else { return value }
        var entries = NaiveQuery(query).ordered(value.children).filter { entry in
            let from = start.map { place(of: entry, to: $0, query) } ?? .after
            let to = end.map { place(of: entry, to: $0, query) } ?? .before
            return (from == .after || from == .same && start?.isInclusive == true)
                && (to == .before || to == .same && end?.isInclusive == true)
        }
        if let limit, entries.count > limit.count {
            let extra = entries.count - limit.count
            if limit.isFirst { entries.removeLast(extra) } else { entries.removeFirst(extra) }
        }
        var children = Children()
        for (key, child) in entries { children[key] = child }
        return Value(children)
    }

    /// The order of a child and a bound. They are equal if the bound has no key and the values are
    /// the same.
    private func place(
        of entry: NaiveQuery.Entry, to bound: Bound, _ query: Query
    ) -> DataTree.Order {
        if order == .key, case .string(let text) = bound.value {
            return DataTree.Order(entry.key, Key(unchecked: text))
        }
        let place = NaiveQuery(query).indexed(entry.value).order(to: bound.value)
        guard let key = bound.key else { return place }
        return place.or(DataTree.Order(entry.key, Key(unchecked: key)))
    }

    // MARK: Draws

    private func drawBound(_ random: inout SplitMix64) -> Bound? {
        let kind = random.index(below: 5)
        guard kind < 2 else { return nil }
        let name = DenseProgram.keys[random.index(below: DenseProgram.keys.count)].text
        if order == .key { return Bound(value: .string(name), isInclusive: kind == 0) }
        let value: Value =
            switch random.index(below: 6) {
            case 0: .null
            case 1: .string("c")
            default: DenseValues.drawLeaf(&random)
            }
        let key = random.index(below: 2) == 0 ? nil : name
        return Bound(value: value, key: key, isInclusive: kind == 0)
    }

    private func drawLimit(_ random: inout SplitMix64) -> (count: Int, isFirst: Bool)? {
        let kind = random.index(below: 4)
        return kind == 0 ? nil : (1 + random.index(below: 3), kind == 1)
    }
}

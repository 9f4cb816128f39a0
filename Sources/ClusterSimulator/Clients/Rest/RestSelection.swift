import DataTree
import QueryEngine
import ReplicaCore

/// A query, the parameters that say it over REST, and what it shows.
struct RestSelection {
    private enum End { case startAt, startAfter, endAt, endBefore, equalTo }

    private(set) var query = Query()
    private(set) var parameters: [(String, String)] = []
    private var range: (end: End, bound: Value)?
    private var limit: (count: Int, isFirst: Bool)?

    /// All children.
    init() {}

    /// Some order, mostly with a range, a limit or both.
    init(_ random: inout SplitMix64) {
        let order = random.index(below: RestSelection.orders.count)
        parameters = [("orderBy", "\"\(RestSelection.orders[order])\"")]
        do {
            query = try RestSelection.ordered(order)
            try drawRange(isByKey: order == 0, &random)
            try drawLimit(&random)
        } catch {
            preconditionFailure("a query that is drawn is valid: \(parameters): \(error)")
        }
    }

    /// The most frequent property of children is there twice.
    private static let orders = ["$key", "$value", "$priority", "points", "a", "points"]

    private static func ordered(_ order: Int) throws -> Query {
        switch order {
        case 0: try Query().orderedByKey()
        case 1: try Query().orderedByValue()
        case 2: try Query().orderedByPriority()
        default: try Query().ordered(byChild: orders[order])
        }
    }

    private mutating func drawRange(isByKey: Bool, _ random: inout SplitMix64) throws {
        let kind = random.index(below: 9)
        let bound = RestSelection.bound(isByKey: isByKey, &random)
        let ends: [End] = [
            .startAt, .startAfter, .startAfter, .endAt, .endBefore, .endBefore, .equalTo,
        ]
        guard kind < ends.count else { return }
        range = (ends[kind], bound)
        parameters.append(("\(ends[kind])", RestText.json(bound)))
        switch ends[kind] {
        case .startAt: query = try query.starting(at: bound)
        case .startAfter: query = try query.starting(after: bound)
        case .endAt: query = try query.ending(at: bound)
        case .endBefore: query = try query.ending(before: bound)
        case .equalTo: query = try query.equal(to: bound)
        }
    }

    private static func bound(isByKey: Bool, _ random: inout SplitMix64) -> Value {
        if isByKey { return .string(["a", "b", "7", "k2", "k4"][random.index(below: 5)]) }
        let number = Value.integer(Int64(random.number(below: 6)))
        let bounds: [Value] = [number, number, number, .double(2.5), .string("c1")]
        return bounds[random.index(below: bounds.count)]
    }

    private mutating func drawLimit(_ random: inout SplitMix64) throws {
        let count = 1 + random.index(below: 3)
        switch random.index(below: 3) {
        case 0:
            limit = (count, true)
            query = try query.limited(toFirst: count)
            parameters.append(("limitToFirst", "\(count)"))
        case 1:
            limit = (count, false)
            query = try query.limited(toLast: count)
            parameters.append(("limitToLast", "\(count)"))
        default: break
        }
    }
}

// MARK: - What it shows

extension RestSelection {
    /// The part of a value that its parameters select.
    func shown(of value: Value) -> Value {
        if range == nil, limit == nil { return value }
        var entries = NaiveQuery(query).ordered(value.children).filter(isInRange)
        if let limit {
            let isTooLong = entries.count > limit.count
            if isTooLong, limit.isFirst { entries.removeSubrange(limit.count...) }
            if isTooLong, !limit.isFirst { entries.removeFirst(entries.count - limit.count) }
        }
        var children = Children()
        for (key, child) in entries { children[key] = child }
        return Value(children)
    }

    private func isInRange(_ entry: NaiveQuery.Entry) -> Bool {
        guard let range else { return true }
        let order: Order
        if query.order == .key, case .string(let text) = range.bound {
            order = Order(entry.key, Key(unchecked: text))
        } else {
            order = NaiveQuery(query).indexed(entry.value).order(to: range.bound)
        }
        return switch range.end {
        case .startAt: order != .before
        case .startAfter: order == .after
        case .endAt: order != .after
        case .endBefore: order == .before
        case .equalTo: order == .same
        }
    }
}

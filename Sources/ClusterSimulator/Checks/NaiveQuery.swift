import DataTree
import QueryEngine

/// The result of a query, and the events of a change, by filtering, sorting and comparing everything. It is slow, and
/// independent of the shipped engine.
///
/// Source: `firebase-semantics.md`, sections 4.1 and 5.
struct NaiveQuery {
    typealias Entry = (key: Key, value: Value)

    let query: Query

    init(_ query: Query) { self.query = query }

    /// The children that the query shows of a value, in order.
    func entries(of value: Value) -> [Entry] {
        let inRange = ordered(value.children).filter { isAfterStart($0) && isBeforeEnd($0) }
        guard let limit = query.limit else { return inRange }
        return Array(limit.isFirst ? inRange.prefix(limit.count) : inRange.suffix(limit.count))
    }

    /// The part of a value that a listener to the query shows.
    func shown(of value: Value) -> Value {
        guard query.isFiltered else { return value }
        var children = Children()
        for (key, child) in entries(of: value) { children[key] = child }
        return Value(children)
    }

    /// All children in the order of the query.
    func ordered(_ children: Children) -> [Entry] {
        children.map { (key: $0.key, value: $0.value) }
            .sorted { compare($0, indexed($1.value), $1.key) == .before }
    }

    /// The value that decides, with the key, the order of a child.
    func indexed(_ child: Value) -> Value {
        switch query.order {
        case .key: .null
        case .value: child.content
        case .priority: child.priority
        case .child(let path): child[path].content
        }
    }

    private func compare(_ entry: Entry, _ value: Value, _ key: Key) -> Order {
        indexed(entry.value).order(to: value).or(Order(entry.key, key))
    }

    // MARK: The range

    private func isAfterStart(_ entry: Entry) -> Bool {
        guard let bound = query.start else { return true }
        let order = compare(entry, bound, keyless: .after)
        return order == .after || bound.isInclusive && order == .same
    }

    private func isBeforeEnd(_ entry: Entry) -> Bool {
        guard let bound = query.end else { return true }
        let order = compare(entry, bound, keyless: .before)
        return order == .before || bound.isInclusive && order == .same
    }

    /// The order of a child relative to a bound; `keyless` says where one with the bound's value stands if the bound
    /// has no key.
    private func compare(_ entry: Entry, _ bound: Query.Bound, keyless: Order) -> Order {
        if query.order == .key, case .string(let text) = bound.value {
            return Order(entry.key, Key(unchecked: text))
        }
        let order = indexed(entry.value).order(to: bound.value)
        switch bound.key {
        case .key(let key): return order.or(Order(entry.key, key))
        case .least: return order.or(.after)
        case .greatest: return order.or(.before)
        case nil: return order.or(keyless)
        }
    }
}

extension Query {
    /// The query as a reader of a report needs it: order, range and limit.
    var text: String {
        let order =
            switch order {
            case .key: "key"
            case .value: "value"
            case .priority: "priority"
            case .child(let path): "\(path)"
            }
        let from = start.map { " from \($0.text)" } ?? ""
        let to = end.map { " to \($0.text)" } ?? ""
        let count = limit.map { $0.isFirst ? " first \($0.count)" : " last \($0.count)" } ?? ""
        return order + from + to + count
    }
}

extension Query.Bound {
    fileprivate var text: String {
        let key: String
        switch self.key {
        case .key(let own): key = " \(own)"
        case .least: key = " before all keys"
        case .greatest: key = " behind all keys"
        case nil: key = ""
        }
        return "\(value)\(key)" + (isInclusive ? "" : " exclusive")
    }
}

// MARK: - Events

extension NaiveQuery {
    /// The events that tell one change of what the query shows: removals, additions, moves, changes and the value.
    ///
    /// - Parameter old: What was shown; `wasComplete` says whether that was a whole value, or only children known so far.
    func events(from old: Value, wasComplete: Bool, to new: Value) -> [ViewEvent] {
        let after = ordered(new.children)
        var events = ordered(old.children).filter { new[$0.key].isNull }
            .map { ViewEvent(.childRemoved, $0.key, $0.value) }
        func append(_ kind: ViewEvent.Kind, where isDue: (Value, Value) -> Bool) {
            for (index, (key, child)) in after.enumerated() where isDue(old[key], child) {
                let previous = index > 0 ? after[index - 1].key : nil
                events.append(ViewEvent(kind, key, after: previous, child))
            }
        }
        append(.childAdded) { old, _ in old.isNull }
        append(.childMoved) { old, new in !old.isNull && old != new && hasMoved(old, new) }
        append(.childChanged) { old, new in !old.isNull && old != new }
        if !wasComplete || old != new { events.append(ViewEvent(.value, nil, new)) }
        return events
    }

    private func hasMoved(_ old: Value, _ new: Value) -> Bool {
        query.order == .value || indexed(old).order(to: indexed(new)) != .same
    }
}

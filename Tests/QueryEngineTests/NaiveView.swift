import DataTree

@testable import QueryEngine

/// A view that filters and sorts everything before and after, and compares: slow, and plainly
/// right.
struct NaiveView {
    let query: Query
    var value: Value = .null
    var isComplete = false

    init(of query: Query = Query()) { self.query = query }

    mutating func write(_ writes: [(path: Path, value: Value)]) -> [ViewEvent] {
        let old = value
        for write in NaiveView.withoutEmptyMoments(writes) {
            value.set(write.value, at: write.path)
        }
        let isFirst = !isComplete
        isComplete = true
        return events(from: old, isFirst: isFirst)
    }

    /// The value that a listener shows.
    var shown: Value { visible(value) }

    private func visible(_ value: Value) -> Value {
        guard query.isFiltered else { return value }
        var children = Children()
        for (key, child) in entries(value) { children[key] = child }
        return Value(children)
    }

    private func events(from old: Value, isFirst: Bool) -> [ViewEvent] {
        let (seenBefore, seenAfter) = (visible(old), visible(value))
        let (before, after) = (entries(old), entries(value))
        var events: [ViewEvent] = []
        for (key, child) in before where seenAfter[key].isNull {
            events.append(ViewEvent(.childRemoved, key, child))
        }
        func append(_ kind: ViewEvent.Kind, where isWanted: (Value, Value) -> Bool) {
            for (index, (key, child)) in after.enumerated() where isWanted(seenBefore[key], child) {
                let previous = index > 0 ? after[index - 1].key : nil
                events.append(ViewEvent(kind, key, after: previous, child))
            }
        }
        append(.childAdded) { old, _ in old.isNull }
        append(.childMoved) { old, new in !old.isNull && old != new && isMoved(old, new) }
        append(.childChanged) { old, new in !old.isNull && old != new }
        if isFirst || seenBefore != seenAfter { events.append(ViewEvent(.value, nil, seenAfter)) }
        return events
    }

    private func isMoved(_ old: Value, _ new: Value) -> Bool {
        query.order == .value || indexed(old).order(to: indexed(new)) != .same
    }

    /// Removals after what fills, and priorities last, unless one path contains another.
    static func withoutEmptyMoments(
        _ writes: [(path: Path, value: Value)]
    ) -> [(path: Path, value: Value)] {
        func rank(_ write: (path: Path, value: Value)) -> Int {
            write.path.last == .priority ? 2 : write.value.isNull ? 1 : 0
        }
        let isNested = writes.indices.contains { a in
            writes.indices.contains { a != $0 && writes[a].path.contains(writes[$0].path) }
        }
        return isNested ? writes : (0...2).flatMap { r in writes.filter { rank($0) == r } }
    }
}

// MARK: - Filtering and sorting

extension NaiveView {
    /// The children that the query shows of a value, in order.
    func entries(_ value: Value) -> [(key: Key, value: Value)] {
        let all = value.children.map { (key: $0.key, value: $0.value) }
            .filter { isAfterStart($0) && isBeforeEnd($0) }
            .sorted { order($0, to: indexed($1.value), $1.key) == .before }
        guard let limit = query.limit else { return all }
        return Array(limit.isFirst ? all.prefix(limit.count) : all.suffix(limit.count))
    }

    private func indexed(_ child: Value) -> Value {
        switch query.order {
        case .key: .null
        case .value: child.content
        case .priority: child.priority
        case .child(let path): child[path].content
        }
    }

    private func order(
        _ entry: (key: Key, value: Value), to value: Value, _ key: Key
    ) -> Order {
        indexed(entry.value).order(to: value).or(Order(entry.key, key))
    }

    private func isAfterStart(_ entry: (key: Key, value: Value)) -> Bool {
        guard let bound = query.start else { return true }
        let order = order(entry, to: bound, implied: .before)
        return order == .after || bound.isInclusive && order == .same
    }

    private func isBeforeEnd(_ entry: (key: Key, value: Value)) -> Bool {
        guard let bound = query.end else { return true }
        let order = order(entry, to: bound, implied: .after)
        return order == .before || bound.isInclusive && order == .same
    }

    /// Where a child stands to a bound; without a key, the bound's is the `implied` end.
    private func order(
        _ entry: (key: Key, value: Value), to bound: Query.Bound, implied: Order
    ) -> Order {
        if query.order == .key, case .string(let text) = bound.value {
            return Order(entry.key, Key(unchecked: text))
        }
        let order = indexed(entry.value).order(to: bound.value)
        switch bound.key {
        case .key(let key): return order.or(Order(entry.key, key))
        case .least: return order.or(.after)
        case .greatest: return order.or(.before)
        case nil: return order.or(implied.reversed)
        }
    }
}

import DataTree

@testable import QueryEngine

/// A view that sorts everything before and after, and compares: slow, and plainly right.
struct NaiveView {
    var value: Value = .null
    var isComplete = false

    mutating func write(_ writes: [(path: Path, value: Value)]) -> [ViewEvent] {
        let old = value
        for write in NaiveView.withoutEmptyMoments(writes) {
            value.set(write.value, at: write.path)
        }
        let isFirst = !isComplete
        isComplete = true
        return events(from: old, isFirst: isFirst)
    }

    private func events(from old: Value, isFirst: Bool) -> [ViewEvent] {
        let before = NaiveView.sorted(old)
        let after = NaiveView.sorted(value)
        var events: [ViewEvent] = []
        for (key, child) in before where value[key].isNull {
            events.append(ViewEvent(.childRemoved, key, child))
        }
        func append(_ kind: ViewEvent.Kind, where isWanted: (Value, Value) -> Bool) {
            for (index, (key, child)) in after.enumerated() where isWanted(old[key], child) {
                let previous = index > 0 ? after[index - 1].key : nil
                events.append(ViewEvent(kind, key, after: previous, child))
            }
        }
        append(.childAdded) { old, _ in old.isNull }
        append(.childMoved) { old, new in !old.isNull && old.priority != new.priority }
        append(.childChanged) { old, new in !old.isNull && old != new }
        if isFirst || old != value { events.append(ViewEvent(.value, nil, value)) }
        return events
    }

    /// Removals after what fills, and priorities last, unless one path contains another.
    private static func withoutEmptyMoments(
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

    private static func sorted(_ value: Value) -> [(key: Key, value: Value)] {
        value.children.map { ($0.key, $0.value) }.sorted { a, b in
            switch a.1.priority.order(to: b.1.priority) {
            case .before: true
            case .same: a.0 < b.0
            case .after: false
            }
        }
    }
}

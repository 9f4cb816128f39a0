import DataTree

/// The writes of one operation at a location: a whole value, or values at places below.
struct SyncChange: Sendable {
    /// The value of the location, if it is wholly written; then there are no children.
    private(set) var value: Value?
    /// The writes at and below the children; `.priority` may be among them.
    private(set) var children = SortedMap<SyncChange>()

    init() {}

    init(_ value: Value) { self.value = value }

    /// Relative writes, taken one after the other.
    init(_ writes: [(path: Path, value: Value)]) {
        for write in writes { self.write(write.value, at: write.path) }
    }

    var isEmpty: Bool { value == nil && children.isEmpty }

    /// Adds a write over the earlier ones.
    mutating func write(_ value: Value, at path: Path) { write(value, at: path.keys[...]) }

    private mutating func write(_ new: Value, at keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            self = SyncChange(new)
            return
        }
        if value != nil {
            value?.set(new, at: Path(Array(keys)))
            return
        }
        children.mutate(key) { child in
            var changed = child.take() ?? SyncChange()
            changed.write(new, at: keys.dropFirst())
            child = changed
        }
    }

    /// The writes of some children only.
    func filter(_ isKept: (Key, SyncChange) -> Bool) -> SyncChange {
        var kept = SyncChange()
        for (key, child) in children where isKept(key, child) { kept.children[key] = child }
        return kept
    }
}

// MARK: - Reading

extension SyncChange {
    /// The writes of a child; empty if it is not touched.
    subscript(key: Key) -> SyncChange {
        value.map { SyncChange($0[key]) } ?? children[key] ?? SyncChange()
    }

    /// A value with these writes over it.
    func applied(to base: Value) -> Value {
        var result = base
        for write in values { result.set(write.value, at: write.path) }
        return result
    }

    /// Each value that is written, in an order in which no object is empty before it is filled: writes that empty
    /// come after writes that fill, and priorities come last.
    var values: [(path: Path, value: Value)] {
        var values: [(path: Path, value: Value)] = []
        append(at: .root, &values)
        if values.count < 2 { return values }
        let contents = values.filter { $0.path.last != .priority }
        return contents.filter { !$0.value.isNull } + contents.filter { $0.value.isNull }
            + values.filter { $0.path.last == .priority }
    }

    private func append(at path: Path, _ values: inout [(path: Path, value: Value)]) {
        if let value { return values.append((path, value)) }
        for (key, child) in children { child.append(at: path.appending(key), &values) }
    }
}

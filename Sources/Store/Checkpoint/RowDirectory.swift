import DataTree

/// The rows that hold the children of a location, and of the large children below it.
///
/// The rows of one location divide its keys: each has those from its first key up to the first key of the next row.
/// The first row also has all smaller ones.
struct RowDirectory: Sendable {
    struct Row: Sendable {
        var id: UInt64
        /// Nil in the first row of a location, which also holds what the location itself has.
        var first: Key?
        var checksum: UInt32
        var byteCount: Int
    }

    /// Ascending by first key.
    var rows: [Row] = []
    /// The children that are too large for a row.
    var large = SortedMap<RowDirectory>()

    /// The index of the row of a key that belongs in the row `start` or a later one.
    ///
    /// - Complexity: O(rows passed).
    func index(of key: Key, from start: Int) -> Int {
        var index = start
        while index + 1 < rows.count, let first = rows[index + 1].first, first <= key { index += 1 }
        return index
    }

    /// Whether this location and each large one below it have exactly one first row.
    var isComplete: Bool {
        rows.first?.first == nil && !rows.isEmpty && rows.dropFirst().allSatisfy { $0.first != nil }
            && large.values.allSatisfy(\.isComplete)
    }

    /// All rows of the location and of those below.
    var allRows: [Row] { rows + large.values.flatMap(\.allRows) }

    /// Adds a row that was read; rows come in any order.
    mutating func insert(_ row: Row, at keys: ArraySlice<Key>) {
        change(at: keys) { directory in
            // Rows mostly come in order.
            var index = directory.rows.count
            while index > 0, row.isBefore(directory.rows[index - 1]) { index -= 1 }
            directory.rows.insert(row, at: index)
        }
    }

    mutating func change(at keys: ArraySlice<Key>, _ body: (inout RowDirectory) -> Void) {
        guard let key = keys.first else { return body(&self) }
        large.mutate(key) { slot in
            var below = slot.take() ?? RowDirectory()
            below.change(at: keys.dropFirst(), body)
            slot = below
        }
    }

    subscript(path: Path) -> RowDirectory {
        path.keys.reduce(self) { $0.large[$1] ?? RowDirectory() }
    }
}

extension RowDirectory.Row {
    func isBefore(_ other: RowDirectory.Row) -> Bool {
        guard let otherFirst = other.first else { return false }
        return first.map { $0 < otherFirst } ?? true
    }
}

public import DataTree

/// The children that a query shows, ascending by key, read where they stand: an answer of a hundred records
/// is written without a copy of them.
///
/// It exists for one read and is released before the list's value changes.
public struct ShownChildren {
    private enum Selection {
        /// Positions in key order.
        case positions(Range<Int>)
        /// Packed records of an index, ascending by key; the index keeps them.
        case records([(key: Key, packed: PackedChildren.Borrowed)], PositionTree)
        /// Ascending.
        case keys([Key])
    }

    private let children: Children
    private let selection: Selection

    init(of children: Children, at positions: Range<Int>) {
        self.children = children
        selection = .positions(positions)
    }

    /// Takes keys of children, ascending.
    init(of children: Children, at keys: [Key]) {
        self.children = children
        selection = .keys(keys)
    }

    /// Takes what stands between two cuts of an index, or so much of it at one end.
    init(
        of children: Children, by positions: PositionTree, from low: Cut, to high: Cut,
        _ limit: Query.Limit?
    ) {
        self.children = children
        var records = positions.records(from: low, to: high, limit)
        records.sort { $0.key < $1.key }
        let packed = records.compactMap { record in record.packed.map { (record.key, $0) } }
        selection =
            packed.count == records.count ? .records(packed, positions) : .keys(records.map(\.key))
    }

    /// How many children are shown.
    public var count: Int {
        switch selection {
        case .positions(let positions): positions.count
        case .records(let records, _): records.count
        case .keys(let keys): keys.count
        }
    }

    /// An object of the children; null without any.
    ///
    /// - Complexity: O(log n + children), and O(log n) for each child not in key order.
    public var value: Value {
        var shown = Children(minimumCapacity: count)
        visit { shown.updateValue($1, forKey: $0) }
        return Value(shown)
    }

    /// Calls `body` with the children, ascending by key.
    private func visit(_ body: (Key, Value) -> Void) {
        switch selection {
        case .positions(let positions): children.visit(in: positions, body)
        case .records(let records, let positions):
            withExtendedLifetime(positions) {
                for record in records { body(record.key, record.packed.value) }
            }
        case .keys(let keys):
            children.visit(at: keys) { key, child in
                guard let child else { preconditionFailure("an index without \(key)") }
                body(key, child)
            }
        }
    }

    /// Appends an object of the children, or nil if there are none.
    ///
    /// - Complexity: as for `value`.
    package func write(to writer: inout MessagePackWriter) {
        if count == 0 { return writer.appendNil() }
        if case .records(let records, let positions) = selection {
            withExtendedLifetime(positions) { ShownChildren.write(records, to: &writer) }
        } else {
            writer.appendMapHead(count)
            visit { key, child in
                writer.append(key)
                writer.append(child)
            }
        }
    }

    private static func write(
        _ records: [(key: Key, packed: PackedChildren.Borrowed)],
        to writer: inout MessagePackWriter
    ) {
        // The sizes fetch the memory of all records at the same time; a copy of one after the other would wait for each.
        let sizes = records.reduce(5) { $0 + $1.key.utf8Count + 3 + $1.packed.byteCount }
        writer.reserve(sizes)
        writer.appendMapHead(records.count)
        for record in records {
            writer.append(record.key)
            writer.append(encoded: record.packed.bytes)
        }
    }
}

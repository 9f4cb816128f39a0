// How children are read: one after the other, by position, and beside a key.

extension Children: Sequence {
    /// Visits the entries in ascending key order.
    ///
    /// It holds the children at the time it was made: packed bytes, which never change, or nodes of a map, which are copied
    /// before a change while it holds them. So it may go to another thread.
    public struct Iterator: IteratorProtocol, @unchecked Sendable {
        private var map: SortedMap<Value>.Iterator
        private let packed: PackedChildren?
        /// The offset of the next packed child.
        private var position = PackedChildren.start

        fileprivate init(_ storage: Storage) {
            switch storage {
            case .map(let map): (self.map, packed) = (map.makeIterator(), nil)
            case .packed(let packed):
                (map, self.packed) = (SortedMap<Value>().makeIterator(), packed)
            }
        }

        fileprivate init(_ map: SortedMap<Value>, from key: Key) {
            (self.map, packed) = (SortedMap.Iterator(map.root, from: key), nil)
        }

        /// The next child in the order of keys.
        public mutating func next() -> (key: Key, value: Value)? {
            guard let packed else { return map.next() }
            guard let child = packed.child(from: position) else { return nil }
            position = child.next
            return (child.key, child.value)
        }
    }

    /// Goes through the children in the order of keys.
    public func makeIterator() -> Iterator { Iterator(storage) }
    /// How many children there are.
    public var underestimatedCount: Int { count }

    /// The entries from `key` on, in ascending key order.
    public func entries(from key: Key) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(map, from: key))
    }

    /// The keys in their order.
    public var keys: some Sequence<Key> { lazy.map { $0.key } }
    /// The children in the order of their keys.
    public var values: some Sequence<Value> { lazy.map { $0.value } }
}

// MARK: - Neighbours

extension Children {
    /// A key with its child.
    public typealias Entry = (key: Key, value: Value)

    /// The child of the least key.
    public var first: Entry? {
        guard case .packed(let packed) = storage else { return map.first }
        return packed.child(from: PackedChildren.start).map { ($0.key, $0.value) }
    }
    /// The child of the greatest key.
    public var last: Entry? { map.last }

    /// The number of keys that come before `key`, whether or not it is present.
    public func rank(of key: Key) -> Int { map.rank(of: key) }

    /// The entry at a position in key order.
    public func entry(at index: Int) -> Entry { map.entry(at: index) }

    /// The entry just before `key` in key order, whether or not `key` is present.
    public func entry(before key: Key) -> Entry? { map.entry(before: key) }

    /// Calls `body` with each of many keys, in their order, and the child there, or nil.
    public func visit(at keys: [Key], _ body: (Key, Value?) -> Void) { map.visit(at: keys, body) }

    /// Calls `body` with all entries in ascending key order.
    public func visit(_ body: (Key, Value) -> Void) { map.visit(body) }

    /// Calls `body` with the entries at some positions, in ascending key order.
    public func visit(in positions: Range<Int>, _ body: (Key, Value) -> Void) {
        map.visit(in: positions, body)
    }
}

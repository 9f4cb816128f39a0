/// Elements by key, in key order: a B-tree with inline keys and copy-on-write nodes.
///
/// A copy costs one reference count, and two copies share every node that neither has changed since.
/// So an old state of a large tree can be kept, or read on another thread, while a new one grows.
///
/// - Complexity: lookups and changes are O(log n); appending in ascending order fills nodes wholly.
public struct SortedMap<Item> {
    @usableFromInline var root: Node<Item>?

    /// An empty map; it owns no memory.
    @inlinable
    public init() { root = nil }

    @inlinable public var isEmpty: Bool { root == nil }
    @inlinable public var count: Int { root?.header.total ?? 0 }

    /// The element at `key`, or nil.
    @inlinable
    public subscript(key: Key) -> Item? {
        get { root?.find(key) }
        set { mutate(key) { $0 = newValue } }
    }

    /// Changes the element at `key` in place: nil before means absent, nil after removes it.
    ///
    /// Inside `body` the element is held once, so that changing it copies nothing that is not shared.
    /// `body` must not touch the map.
    @inlinable
    @discardableResult
    public mutating func mutate<R>(_ key: Key, _ body: (inout Item?) -> R) -> R {
        if root == nil { root = .leaf(capacity: 1) }
        var split: Node<Item>.Link?
        let result = Node.mutate(&root!, key, &split, body)
        if let split {
            root = .branch(over: root!, and: split)
        } else if root!.header.count == 0 {
            root = nil
        } else {
            while root!.header.count == 1, root!.header.height > 0 {
                root = root!.links[0].child
            }
        }
        return result
    }

    /// Stores `element` at `key` and returns what was there before.
    @inlinable
    @discardableResult
    public mutating func updateValue(_ element: consuming Item, forKey key: Key) -> Item? {
        var new = Optional(element)
        return mutate(key) { slot in
            swap(&slot, &new)
            return new
        }
    }

    /// Removes the element at `key` and returns it.
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Item? {
        guard root?.find(key) != nil else { return nil }
        return mutate(key) { $0.take() }
    }
}

// MARK: - Neighbours

extension SortedMap {
    public typealias Entry = (key: Key, value: Item)

    @inlinable public var first: Entry? { isEmpty ? nil : entry(at: 0) }
    @inlinable public var last: Entry? { isEmpty ? nil : entry(at: count - 1) }

    /// The number of keys that come before `key`, whether or not it is present.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func rank(of key: Key) -> Int { root?.rank(of: key) ?? 0 }

    /// The entry at a position in key order.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func entry(at index: Int) -> Entry {
        precondition(index >= 0 && index < count, "no entry \(index) among \(count)")
        return root!.entry(at: index)
    }

    /// The entry just before `key` in key order, whether or not `key` is present.
    @inlinable
    public func entry(before key: Key) -> Entry? {
        let rank = rank(of: key)
        return rank > 0 ? entry(at: rank - 1) : nil
    }
}

// MARK: - Iteration

extension SortedMap: Sequence {
    /// Visits the entries in ascending key order.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var stack: [(node: Node<Item>, index: Int)] = []
        @usableFromInline var leaf: Node<Item>?
        @usableFromInline var index = 0

        @inlinable
        init(_ root: Node<Item>?) {
            if let root { descend(from: root) }
        }

        /// Starts at the first entry whose key is `key` or comes after it.
        @inlinable
        init(_ root: Node<Item>?, from key: Key) {
            guard var node = root else { return }
            while node.header.height > 0 {
                let index = node.childIndex(of: key)
                stack.append((node, index))
                node = node.links[index].child
            }
            leaf = node
            index = node.lowerBound(of: key)
        }

        @inlinable
        mutating func descend(from start: Node<Item>) {
            var node = start
            while node.header.height > 0 {
                stack.append((node, 0))
                node = node.links[0].child
            }
            leaf = node
            index = 0
        }

        @inlinable
        public mutating func next() -> (key: Key, value: Item)? {
            while let leaf {
                if index < leaf.header.count {
                    defer { index += 1 }
                    let entry = leaf.entries[index]
                    return (entry.key, entry.element)
                }
                advanceToNextLeaf()
            }
            return nil
        }

        @inlinable
        mutating func advanceToNextLeaf() {
            leaf = nil
            while let (node, index) = stack.popLast() {
                guard index + 1 < node.header.count else { continue }
                stack.append((node, index + 1))
                return descend(from: node.links[index + 1].child)
            }
        }
    }

    @inlinable public func makeIterator() -> Iterator { Iterator(root) }
    @inlinable public var underestimatedCount: Int { count }

    /// The entries from `key` on, in ascending key order.
    @inlinable
    public func entries(from key: Key) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(root, from: key))
    }

    @inlinable public var keys: some Sequence<Key> { lazy.map { $0.key } }
    @inlinable public var values: some Sequence<Item> { lazy.map { $0.value } }
}

extension SortedMap: Equatable where Item: Equatable {
    public static func == (a: SortedMap, b: SortedMap) -> Bool {
        if a.root === b.root { return true }
        guard a.count == b.count else { return false }
        var other = b.makeIterator()
        for (key, value) in a {
            guard let entry = other.next(), entry.key == key, entry.value == value else {
                return false
            }
        }
        return true
    }
}

// A shared node is never changed: every change first makes sure that it holds the only reference.
extension SortedMap: @unchecked Sendable where Item: Sendable {}

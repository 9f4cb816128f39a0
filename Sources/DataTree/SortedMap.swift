/// Items by key, in key order: a B-tree with inline keys and copy-on-write nodes.
///
/// A copy costs one reference count, and two copies share every node that neither has changed since.
/// So an old state of a large tree can be kept, or read on another thread, while a new one grows.
///
/// - Complexity: lookups and changes are O(log n); appending in ascending order fills nodes well.
public struct SortedMap<Item> {
    @usableFromInline var root: Node<Item>?

    /// An empty map; it owns no memory.
    @inlinable
    public init() { root = nil }

    /// An empty map that takes up to `capacity` items, or 64 if that is less, without growing.
    @inlinable
    public init(minimumCapacity capacity: Int) {
        root = capacity > 0 ? .leaf(room: Swift.min(capacity, Node<Item>.fanOut)) : nil
    }

    /// Whether there are no items.
    /// How many items there are.
    @inlinable public var isEmpty: Bool { count == 0 }
    @inlinable public var count: Int { root?.total ?? 0 }

    /// The item at `key`, or nil.
    @inlinable
    public subscript(key: Key) -> Item? {
        get { root?.find(key) }
        set { mutate(key) { $0 = newValue } }
    }

    /// Changes the item at `key` in place: nil before means absent, nil after removes it.
    ///
    /// Inside `body` the item has one reference, so a change copies only what other maps share.
    /// `body` must not touch the map.
    @inlinable
    @discardableResult
    public mutating func mutate<R>(_ key: Key, _ body: (inout Item?) -> R) -> R {
        if root == nil { root = .leaf(room: 1) }
        var split: Node<Item>.Split?
        let result = Node.mutate(&root!, key, &split, body)
        if let split {
            root = .branch(over: root!, and: split)
        } else if root!.count <= 1 {
            dropEmptyLevels()
        }
        return result
    }

    @inlinable
    mutating func dropEmptyLevels() {
        while let top = root, top.height > 0, top.count == 1 { root = top.children[0] }
        if root?.count == 0 { root = nil }
    }

    /// Stores `item` at `key` and returns what was there before.
    @inlinable
    @discardableResult
    public mutating func updateValue(_ item: consuming Item, forKey key: Key) -> Item? {
        var new = Optional(item)
        return mutate(key) { slot in
            swap(&slot, &new)
            return new.take()
        }
    }

    /// Removes the item at `key` and returns it.
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Item? {
        // Looked up first: a removal that finds nothing must not copy shared nodes.
        guard root?.find(key) != nil else { return nil }
        return mutate(key) { $0.take() }
    }

    /// Whether no other map has the same memory, or there is none.
    package mutating func isUnshared() -> Bool {
        root == nil || isKnownUniquelyReferenced(&root)
    }

    /// Gives back the memory that a small map reserved and did not use.
    @inlinable
    public mutating func trim() {
        guard root != nil, root!.height == 0, root!.count < root!.room else { return }
        let count = root!.count
        if count == 0 {
            root = nil
        } else if isKnownUniquelyReferenced(&root!) {
            root = root!.moved(room: count)
        } else {
            root = root!.copy(room: count)
        }
    }
}

// MARK: - Neighbours

extension SortedMap {
    /// A key with its item.
    public typealias Entry = (key: Key, value: Item)

    /// The item of the least key.
    /// The item of the greatest key.
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
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func entry(before key: Key) -> Entry? { root?.entry(before: key) }
}

extension SortedMap: Equatable where Item: Equatable {
    /// Whether both have equal items under equal keys.
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

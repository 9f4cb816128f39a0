extension SortedMap: Sequence {
    /// Visits the entries in ascending key order.
    ///
    /// It holds the state of the map at the time it was made.
    public struct Iterator: IteratorProtocol {
        /// The branches above `leaf`, each with the position of the child that is being visited.
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
            while node.height > 0 {
                let index = node.childIndex(of: key)
                stack.append((node, index))
                node = node.children[index]
            }
            leaf = node
            index = node.lowerBound(of: key)
        }

        @inlinable
        mutating func descend(from start: Node<Item>) {
            var node = start
            while node.height > 0 {
                stack.append((node, 0))
                node = node.children[0]
            }
            leaf = node
            index = 0
        }

        /// The next item in the order of keys.
        @inlinable
        public mutating func next() -> (key: Key, value: Item)? {
            while let leaf {
                if index < leaf.count {
                    defer { index += 1 }
                    return (leaf.keys[index], leaf.items[index])
                }
                advanceToNextLeaf()
            }
            return nil
        }

        @inlinable
        mutating func advanceToNextLeaf() {
            leaf = nil
            while let (node, index) = stack.popLast() {
                guard index + 1 < node.count else { continue }
                stack.append((node, index + 1))
                return descend(from: node.children[index + 1])
            }
        }
    }

    /// Goes through the items in the order of keys.
    /// How many items there are.
    @inlinable public func makeIterator() -> Iterator { Iterator(root) }
    @inlinable public var underestimatedCount: Int { count }

    /// The entries from `key` on, in ascending key order.
    @inlinable
    public func entries(from key: Key) -> IteratorSequence<Iterator> {
        IteratorSequence(Iterator(root, from: key))
    }

    /// The keys in their order.
    /// The items in the order of their keys.
    @inlinable public var keys: some Sequence<Key> { lazy.map { $0.key } }
    @inlinable public var values: some Sequence<Item> { lazy.map { $0.value } }
}

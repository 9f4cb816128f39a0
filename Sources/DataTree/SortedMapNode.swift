/// The head of a node; entries or links follow it in the same allocation.
@usableFromInline
struct NodeHeader {
    /// Entries of a leaf, or children of a branch, in this node.
    @usableFromInline var count: Int
    /// Entries in this node and below.
    @usableFromInline var total: Int
    @usableFromInline let capacity: Int32
    /// Levels below this node; 0 for a leaf.
    @usableFromInline let height: Int32

    @inlinable
    init(capacity: Int, height: Int32) {
        count = 0
        total = 0
        self.capacity = Int32(capacity)
        self.height = height
    }
}

/// A node of a `SortedMap`: a leaf holds entries, a branch holds links to the nodes below it.
@usableFromInline
final class Node<Item>: ManagedBuffer<NodeHeader, UInt64> {
    @usableFromInline
    struct Entry {
        @usableFromInline var key: Key
        @usableFromInline var element: Item

        @inlinable
        init(key: Key, element: consuming Item) {
            self.key = key
            self.element = element
        }
    }

    @usableFromInline
    struct Link {
        /// No key below is smaller, except under a branch's first link, which takes all that are.
        @usableFromInline var low: Key
        @usableFromInline var child: Node

        @inlinable
        init(low: Key, child: Node) {
            self.low = low
            self.child = child
        }
    }

    @inlinable static var fanOut: Int { 64 }

    @inlinable
    var entries: UnsafeMutablePointer<Entry> {
        withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Entry.self)
        }
    }

    @inlinable
    var links: UnsafeMutablePointer<Link> {
        withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Link.self)
        }
    }

    @inlinable
    deinit {
        if header.height == 0 {
            entries.deinitialize(count: header.count)
        } else {
            links.deinitialize(count: header.count)
        }
    }
}

// MARK: - Construction

extension Node {
    @inlinable
    static func make(capacity: Int, height: Int32) -> Node {
        let stride = height == 0 ? MemoryLayout<Entry>.stride : MemoryLayout<Link>.stride
        let words = (capacity * stride + 7) / 8
        let node = Node.create(minimumCapacity: words) { _ in
            NodeHeader(capacity: capacity, height: height)
        }
        return unsafeDowncast(node, to: Node.self)
    }

    @inlinable
    static func leaf(capacity: Int) -> Node { make(capacity: capacity, height: 0) }

    /// A new root above two halves of the old one.
    @inlinable
    static func branch(over left: Node, and right: Link) -> Node {
        let node = make(capacity: fanOut, height: left.header.height + 1)
        let low = left.header.height == 0 ? left.entries[0].key : left.links[0].low
        node.links.initialize(to: Link(low: low, child: left))
        (node.links + 1).initialize(to: right)
        node.header.count = 2
        node.header.total = left.header.total + right.child.header.total
        return node
    }

    /// A copy that nobody else holds, with room for at least `capacity`.
    @inlinable
    func copy(capacity: Int) -> Node {
        let node = Node.make(capacity: capacity, height: header.height)
        if header.height == 0 {
            node.entries.initialize(from: entries, count: header.count)
        } else {
            node.links.initialize(from: links, count: header.count)
        }
        node.header.count = header.count
        node.header.total = header.total
        return node
    }

    /// A larger node with this one's contents, which moves out of here.
    @inlinable
    func moved(capacity: Int) -> Node {
        let node = Node.make(capacity: capacity, height: header.height)
        if header.height == 0 {
            node.entries.moveInitialize(from: entries, count: header.count)
        } else {
            node.links.moveInitialize(from: links, count: header.count)
        }
        node.header.count = header.count
        node.header.total = header.total
        header.count = 0
        return node
    }
}

// MARK: - Search

extension Node {
    /// The index of the first entry of this leaf that is not before `key`.
    @inlinable
    func lowerBound(of key: Key) -> Int {
        let entries = entries
        var low = 0
        var high = header.count
        // Ascending keys, the common case of a growing list, land behind the last entry.
        if high > 0, entries[high - 1].key < key { return high }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of the child of this branch below which `key` belongs.
    @inlinable
    func childIndex(of key: Key) -> Int {
        let links = links
        var low = 0
        var high = header.count - 1
        if !(key < links[high].low) { return high }
        while low + 1 < high {
            let middle = (low + high) / 2
            if key < links[middle].low { high = middle } else { low = middle }
        }
        return low
    }

    @inlinable
    func find(_ key: Key) -> Item? {
        var node = Unmanaged.passUnretained(self)
        while true {
            let next: Unmanaged<Node>? = node._withUnsafeGuaranteedRef { node in
                guard node.header.height > 0 else { return nil }
                return Unmanaged.passUnretained(node.links[node.childIndex(of: key)].child)
            }
            guard let next else { break }
            node = next
        }
        return node._withUnsafeGuaranteedRef { leaf in
            let index = leaf.lowerBound(of: key)
            guard index < leaf.header.count, leaf.entries[index].key == key else { return nil }
            return leaf.entries[index].element
        }
    }

    @inlinable
    func rank(of key: Key) -> Int {
        guard header.height > 0 else { return lowerBound(of: key) }
        let index = childIndex(of: key)
        var rank = links[index].child.rank(of: key)
        // Counting back from the end is short for the recent keys that listeners ask about.
        if index > header.count / 2 {
            rank += header.total
            for later in index..<header.count { rank -= links[later].child.header.total }
        } else {
            for earlier in 0..<index { rank += links[earlier].child.header.total }
        }
        return rank
    }

    @inlinable
    func entry(at index: Int) -> (key: Key, value: Item) {
        guard header.height > 0 else { return (entries[index].key, entries[index].element) }
        if index >= header.total / 2 {
            var end = header.total
            var child = header.count
            repeat {
                child -= 1
                end -= links[child].child.header.total
            } while index < end
            return links[child].child.entry(at: index - end)
        }
        var rest = index
        var child = 0
        while rest >= links[child].child.header.total {
            rest -= links[child].child.header.total
            child += 1
        }
        return links[child].child.entry(at: rest)
    }
}

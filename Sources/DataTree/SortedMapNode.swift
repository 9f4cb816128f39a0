/// The head of a node; its keys follow in the same allocation, and then its items or children.
@usableFromInline
struct NodeHeader {
    /// Items of a leaf, or children of a branch, in this node.
    @usableFromInline var count: Int
    /// Items in this node and below.
    @usableFromInline var total: Int
    /// Items or children that the allocation has room for.
    @usableFromInline let room: Int32
    /// Levels below this node; 0 for a leaf.
    @usableFromInline let height: Int32

    @inlinable
    init(room: Int, height: Int) {
        count = 0
        total = 0
        self.room = Int32(room)
        self.height = Int32(height)
    }
}

/// A node of a `SortedMap`: a leaf holds items, a branch holds the nodes below it.
///
/// A branch's key is not after any key below its child, except under the first child, which takes
/// all keys that are smaller.
@usableFromInline
final class Node<Item>: ManagedBuffer<NodeHeader, UInt64> {
    /// The right part of a node that ran full.
    @usableFromInline
    struct Split {
        @usableFromInline let low: Key
        @usableFromInline let right: Node

        @inlinable
        init(_ right: Node) {
            low = right.keys[0]
            self.right = right
        }
    }

    @inlinable static var fanOut: Int { 64 }

    /// The free space in a leaf that ascending keys filled. Keys of slightly different clocks
    /// arrive slightly late, and would otherwise split every full leaf.
    @inlinable static var roomForLateKeys: Int { 4 }

    // The header is reached by pointer: `header` would check for overlapping accesses at run time.

    @inlinable
    var count: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.count } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = newValue } }
    }

    @inlinable
    var total: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.total } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.total = newValue } }
    }

    @inlinable
    var room: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.room) } }

    @inlinable
    var height: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.height) } }

    @inlinable
    var keys: UnsafeMutablePointer<Key> {
        withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Key.self)
        }
    }

    /// The items of a leaf.
    @inlinable
    var items: UnsafeMutablePointer<Item> {
        UnsafeMutableRawPointer(keys + room).assumingMemoryBound(to: Item.self)
    }

    /// The children of a branch.
    @inlinable
    var children: UnsafeMutablePointer<Node> {
        UnsafeMutableRawPointer(keys + room).assumingMemoryBound(to: Node.self)
    }

    @inlinable
    deinit {
        keys.deinitialize(keys: count)
        if height == 0 {
            items.deinitialize(count: count)
        } else {
            children.deinitialize(count: count)
        }
    }
}

// MARK: - Construction

extension Node {
    @inlinable
    static func make(room: Int, height: Int) -> Node {
        precondition(MemoryLayout<Item>.alignment <= MemoryLayout<UInt64>.alignment)
        let payload = height == 0 ? MemoryLayout<Item>.stride : MemoryLayout<Node>.stride
        let words = (room * (MemoryLayout<Key>.stride + payload) + 7) / 8
        let node = Node.create(minimumCapacity: words) { _ in
            NodeHeader(room: room, height: height)
        }
        return unsafeDowncast(node, to: Node.self)
    }

    @inlinable
    static func leaf(room: Int) -> Node { make(room: room, height: 0) }

    /// A new root above the two parts of the old one.
    @inlinable
    static func branch(over left: Node, and split: Split) -> Node {
        let node = make(room: fanOut, height: left.height + 1)
        node.insert(child: left, low: left.keys[0], at: 0)
        node.insert(child: split.right, low: split.low, at: 1)
        node.total = left.total + split.right.total
        return node
    }

    /// An unshared copy, with room for at least the same contents.
    @inlinable
    func copy(room: Int) -> Node {
        let node = Node.make(room: room, height: height)
        node.append(copyOf: self)
        return node
    }

    /// A leaf of another size with this one's contents, which move out of here.
    @inlinable
    func moved(room: Int) -> Node {
        let node = Node.leaf(room: room)
        move(from: 0, to: node)
        node.total = total
        return node
    }
}

// MARK: - Contents

extension Node {
    /// Shifts what stands from `index` on; the caller then initializes the place.
    @inlinable
    func openGap(at index: Int) {
        let behind = count - index
        (keys + index + 1).moveInitialize(from: keys + index, count: behind)
        if height == 0 {
            (items + index + 1).moveInitialize(from: items + index, count: behind)
        } else {
            (children + index + 1).moveInitialize(from: children + index, count: behind)
        }
        count += 1
    }

    /// Shifts what stands behind `index`, whose item or child the caller has moved out.
    @inlinable
    func closeGap(at index: Int) {
        let behind = count - index - 1
        (keys + index).deinitialize(count: 1)
        (keys + index).moveInitialize(from: keys + index + 1, count: behind)
        if height == 0 {
            (items + index).moveInitialize(from: items + index + 1, count: behind)
        } else {
            (children + index).moveInitialize(from: children + index + 1, count: behind)
        }
        count -= 1
    }

    /// Moves what stands from `start` on to an empty node; totals are the caller's.
    @inlinable
    func move(from start: Int, to node: Node) {
        let moving = count - start
        node.keys.moveInitialize(from: keys + start, count: moving)
        if height == 0 {
            node.items.moveInitialize(from: items + start, count: moving)
        } else {
            node.children.moveInitialize(from: children + start, count: moving)
        }
        node.count = moving
        count = start
    }

    @inlinable
    func append(copyOf node: Node) {
        (keys + count).initialize(from: node.keys, keys: node.count)
        if height == 0 {
            // One by one, which needs no call for each: the compiler knows how such an item is copied.
            for index in 0..<node.count {
                (items + count + index).initialize(to: node.items[index])
            }
        } else {
            (children + count).initialize(from: node.children, count: node.count)
        }
        count += node.count
        total += node.total
    }

    @inlinable
    func insert(item: consuming Item, key: Key, at index: Int) {
        openGap(at: index)
        (keys + index).initialize(to: key)
        (items + index).initialize(to: item)
        total += 1
    }

    @inlinable
    func insert(child: Node, low: Key, at index: Int) {
        openGap(at: index)
        (keys + index).initialize(to: low)
        (children + index).initialize(to: child)
    }

    @inlinable
    var sumOfTotals: Int {
        var sum = 0
        for index in 0..<count { sum += children[index].total }
        return sum
    }
}

// MARK: - Many keys

// Nearly all keys are short and hold no object, so that their memory can be copied and left as it is. The standard library
// would call a function for each of them.

extension UnsafeMutablePointer<Key> {
    /// Copies keys to memory that has none.
    @inlinable
    func initialize(from source: UnsafeMutablePointer<Key>, keys count: Int) {
        UnsafeMutableRawPointer(self).copyMemory(
            from: source, byteCount: count * MemoryLayout<Key>.stride)
        for index in 0..<count {
            if let overflow = source[index].overflow { _ = Unmanaged.passRetained(overflow) }
        }
    }

    /// Destroys keys.
    @inlinable
    func deinitialize(keys count: Int) {
        for index in 0..<count where self[index].overflow != nil {
            (self + index).deinitialize(count: 1)
        }
    }
}

// How a `SortedMap` finds many things at once: the searches go down side by side.

/// One of several searches: the node that it has reached, and the range of keys left to search there.
@usableFromInline
struct SearchLane<Item> {
    @usableFromInline let key: Key
    @usableFromInline var node: Unmanaged<Node<Item>>
    @usableFromInline var low = 0
    @usableFromInline var high = 0
    /// The first word of the key in the middle, fetched before it is needed.
    @usableFromInline var middleWord: UInt64 = 0

    @inlinable
    init(_ key: Key, from root: Unmanaged<Node<Item>>) {
        self.key = key
        node = root
    }

    @inlinable
    var middle: Int { (low + high) / 2 }

    @inlinable
    mutating func begin(above height: Int) {
        node._withUnsafeGuaranteedRef { node in
            // The first child of a branch takes all smaller keys.
            low = height > 0 ? 1 : 0
            high = node.count
        }
    }

    @inlinable
    mutating func fetch() {
        node._withUnsafeGuaranteedRef { middleWord = $0.keys[middle].word0 }
    }

    /// Halves what is left: keys of a branch up to the one sought are passed, keys of a leaf before it.
    @inlinable
    mutating func step(above height: Int) {
        let middle = middle
        let isPassed: Bool
        if middleWord != key.word0 {
            isPassed = middleWord < key.word0
        } else {
            isPassed = node._withUnsafeGuaranteedRef { node in
                height > 0 ? !(key < node.keys[middle]) : node.keys[middle] < key
            }
        }
        if isPassed { low = middle + 1 } else { high = middle }
    }

    @inlinable
    mutating func descend() {
        node = node._withUnsafeGuaranteedRef { .passUnretained($0.children[low - 1]) }
    }

    /// What was found in the leaf.
    @inlinable
    var item: Item? {
        node._withUnsafeGuaranteedRef { leaf in
            low < leaf.count && leaf.keys[low] == key ? leaf.items[low] : nil
        }
    }
}

extension SortedMap {
    /// The items at many keys, in the order of the keys; nil where there is none.
    ///
    /// The searches wait for memory together, which in a large map is most of their time.
    ///
    /// - Complexity: O(log n) for each key.
    @inlinable
    public func items(at keys: [Key]) -> [Item?] {
        guard let root else { return Array(repeating: nil, count: keys.count) }
        var items: [Item?] = []
        items.reserveCapacity(keys.count)
        for start in stride(from: 0, to: keys.count, by: 16) {
            let some = keys[start..<Swift.min(start + 16, keys.count)]
            var lanes = some.map { SearchLane($0, from: Unmanaged.passUnretained(root)) }
            SortedMap.search(&lanes, from: root.height)
            for lane in lanes { items.append(lane.item) }
        }
        return items
    }

    @inlinable
    static func search(_ lanes: inout [SearchLane<Item>], from top: Int) {
        for height in stride(from: top, through: 0, by: -1) {
            var widest = 0
            for index in lanes.indices {
                lanes[index].begin(above: height)
                widest = Swift.max(widest, lanes[index].high - lanes[index].low)
            }
            while widest > 0 {
                for index in lanes.indices where lanes[index].low < lanes[index].high {
                    lanes[index].fetch()
                }
                for index in lanes.indices where lanes[index].low < lanes[index].high {
                    lanes[index].step(above: height)
                }
                widest /= 2
            }
            if height > 0 { for index in lanes.indices { lanes[index].descend() } }
        }
    }

    /// Calls `body` with all entries in ascending key order.
    @inlinable
    public func visit(_ body: (Key, Item) -> Void) { root?.visit(body) }
}

extension Node {
    @inlinable
    func visit(_ body: (Key, Item) -> Void) {
        if height > 0 {
            for index in 0..<count { children[index].visit(body) }
        } else {
            for index in 0..<count { body(keys[index], items[index]) }
        }
    }
}

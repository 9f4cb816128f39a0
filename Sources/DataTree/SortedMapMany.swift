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

    /// The result of the search in the leaf.
    @inlinable
    var item: Item? {
        node._withUnsafeGuaranteedRef { leaf in
            low < leaf.count && leaf.keys[low] == key ? leaf.items[low] : nil
        }
    }
}

extension SortedMap {
    /// Calls `body` with each of many keys, in their order, and the item there, or nil.
    ///
    /// The searches wait for memory together, which in a large map is most of their time.
    ///
    /// - Complexity: O(log n) for each key.
    @inlinable
    public func visit(at keys: [Key], _ body: (Key, Item?) -> Void) {
        guard let root else {
            for key in keys { body(key, nil) }
            return
        }
        for start in stride(from: 0, to: keys.count, by: 16) {
            let some = keys[start..<Swift.min(start + 16, keys.count)]
            var lanes = some.map { SearchLane($0, from: Unmanaged.passUnretained(root)) }
            SortedMap.search(&lanes, from: root.height)
            for lane in lanes { body(lane.key, lane.item) }
        }
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
    public func visit(_ body: (Key, Item) -> Void) { root?.visit(in: 0..<count, body) }

    /// Calls `body` with the entries at some positions, in ascending key order.
    ///
    /// - Complexity: O(log n + positions).
    @inlinable
    public func visit(in positions: Range<Int>, _ body: (Key, Item) -> Void) {
        precondition(
            positions.lowerBound >= 0 && positions.upperBound <= count,
            "no entries \(positions) among \(count)")
        root?.visit(in: positions, body)
    }
}

extension Node {
    @inlinable
    func visit(in positions: Range<Int>, _ body: (Key, Item) -> Void) {
        guard height > 0 else {
            for index in positions { body(keys[index], items[index]) }
            return
        }
        if positions.isEmpty { return }
        var (index, start) = child(at: positions.lowerBound)
        while start < positions.upperBound {
            Unmanaged.passUnretained(children[index])._withUnsafeGuaranteedRef { child in
                let below = positions.clamped(to: start..<start + child.total)
                child.visit(in: below.lowerBound - start..<below.upperBound - start, body)
                start += child.total
            }
            index += 1
        }
    }

    /// The child of this branch below which a position lies, and its first position.
    @inlinable
    func child(at position: Int) -> (index: Int, start: Int) {
        if position >= total / 2 {
            var start = total
            var index = count
            repeat {
                index -= 1
                start -= totalOfChild(index)
            } while position < start
            return (index, start)
        }
        var start = 0
        var index = 0
        while position >= start + totalOfChild(index) {
            start += totalOfChild(index)
            index += 1
        }
        return (index, start)
    }

    @inlinable
    func totalOfChild(_ index: Int) -> Int {
        Unmanaged.passUnretained(children[index])._withUnsafeGuaranteedRef(\.total)
    }
}

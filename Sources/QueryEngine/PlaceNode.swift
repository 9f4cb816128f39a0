import DataTree

/// A node of a `PlaceTree`: a leaf holds places and their records, a branch the nodes below it.
///
/// A branch's place is not behind any place below its child. The first child is an exception: it contains all
/// earlier places.
final class PlaceNode {
    static let fanOut = 64
    /// The room that stays free in a leaf that ascending places filled, for late ones.
    static let roomForLatePlaces = 4
    static var byteCount: Int { fanOut * (MemoryLayout<Place>.stride + 8) }

    /// Levels below this node; 0 for a leaf.
    let height: Int
    /// Places of a leaf, or children of a branch.
    var count = 0
    /// Places in this node and below.
    var total = 0
    let places: UnsafeMutablePointer<Place>
    /// The nodes below a branch.
    let children: UnsafeMutablePointer<PlaceNode>
    /// The packed children at the places of a leaf: to read them there saves looking up their keys.
    let records: UnsafeMutablePointer<PackedChildren?>

    init(height: Int) {
        self.height = height
        places = .allocate(capacity: PlaceNode.fanOut)
        children = .allocate(capacity: height > 0 ? PlaceNode.fanOut : 0)
        records = .allocate(capacity: height > 0 ? 0 : PlaceNode.fanOut)
    }

    /// A new root above the two parts of the old one.
    convenience init(over left: PlaceNode, and right: PlaceNode) {
        self.init(height: left.height + 1)
        insert(left, at: 0)
        insert(right, at: 1)
        total = left.total + right.total
    }

    /// An unshared copy.
    convenience init(copying node: PlaceNode) {
        self.init(height: node.height)
        append(copyOf: node)
    }

    deinit {
        places.deinitialize(count: count)
        if height > 0 {
            children.deinitialize(count: count)
        } else {
            records.deinitialize(count: count)
        }
        places.deallocate()
        children.deallocate()
        records.deallocate()
    }
}

// MARK: - Contents

extension PlaceNode {
    /// Inserts a place into a leaf that has room.
    func insert(_ place: consuming Place, _ record: consuming PackedChildren?, at index: Int) {
        (places + index + 1).moveInitialize(from: places + index, count: count - index)
        (records + index + 1).moveInitialize(from: records + index, count: count - index)
        (places + index).initialize(to: place)
        (records + index).initialize(to: record)
        count += 1
        total += 1
    }

    /// Inserts a child into a branch that has room; its total is the caller's.
    func insert(_ child: PlaceNode, at index: Int) {
        (places + index + 1).moveInitialize(from: places + index, count: count - index)
        (children + index + 1).moveInitialize(from: children + index, count: count - index)
        (places + index).initialize(to: child.places[0])
        (children + index).initialize(to: child)
        count += 1
    }

    func removePlace(at index: Int) {
        (places + index).deinitialize(count: 1)
        (places + index).moveInitialize(from: places + index + 1, count: count - index - 1)
        (records + index).deinitialize(count: 1)
        (records + index).moveInitialize(from: records + index + 1, count: count - index - 1)
        count -= 1
        total -= 1
    }

    func removeChild(at index: Int) {
        (places + index).deinitialize(count: 1)
        (places + index).moveInitialize(from: places + index + 1, count: count - index - 1)
        (children + index).deinitialize(count: 1)
        (children + index).moveInitialize(from: children + index + 1, count: count - index - 1)
        count -= 1
    }

    /// Moves what stands from `start` on to a new node.
    func split(at start: Int) -> PlaceNode {
        let right = PlaceNode(height: height)
        right.places.moveInitialize(from: places + start, count: count - start)
        if height > 0 {
            right.children.moveInitialize(from: children + start, count: count - start)
        } else {
            right.records.moveInitialize(from: records + start, count: count - start)
        }
        right.count = count - start
        count = start
        countPlaces()
        right.countPlaces()
        return right
    }

    func append(copyOf node: PlaceNode) {
        (places + count).initialize(from: node.places, count: node.count)
        if height > 0 {
            (children + count).initialize(from: node.children, count: node.count)
        } else {
            (records + count).initialize(from: node.records, count: node.count)
        }
        count += node.count
        total += node.total
    }

    func countPlaces() {
        total = height == 0 ? count : (0..<count).reduce(0) { $0 + children[$1].total }
    }
}

import DataTree

/// A node of a `PositionTree`: a leaf holds positions and their records, a branch the nodes below it.
///
/// A branch's position is not behind any position below its child. The first child is an exception: it contains all
/// earlier positions.
final class PositionNode {
    static let fanOut = 64
    /// The room that stays free in a leaf that ascending positions filled, for late ones.
    static let roomForLatePositions = 4
    static var byteCount: Int { fanOut * (MemoryLayout<ListPosition>.stride + 8) }

    /// Levels below this node; 0 for a leaf.
    let height: Int
    /// Positions of a leaf, or children of a branch.
    var count = 0
    /// Positions in this node and below.
    var total = 0
    let positions: UnsafeMutablePointer<ListPosition>
    /// The nodes below a branch.
    let children: UnsafeMutablePointer<PositionNode>
    /// The packed children at the positions of a leaf: to read them there saves looking up their keys.
    let records: UnsafeMutablePointer<PackedChildren?>

    init(height: Int) {
        self.height = height
        positions = .allocate(capacity: PositionNode.fanOut)
        children = .allocate(capacity: height > 0 ? PositionNode.fanOut : 0)
        records = .allocate(capacity: height > 0 ? 0 : PositionNode.fanOut)
    }

    /// A new root above the two parts of the old one.
    convenience init(over left: PositionNode, and right: PositionNode) {
        self.init(height: left.height + 1)
        insert(left, at: 0)
        insert(right, at: 1)
        total = left.total + right.total
    }

    /// An unshared copy.
    convenience init(copying node: PositionNode) {
        self.init(height: node.height)
        append(copyOf: node)
    }

    deinit {
        positions.deinitialize(count: count)
        if height > 0 {
            children.deinitialize(count: count)
        } else {
            records.deinitialize(count: count)
        }
        positions.deallocate()
        children.deallocate()
        records.deallocate()
    }
}

// MARK: - Contents

extension PositionNode {
    /// Inserts a position into a leaf that has room.
    func insert(
        _ position: consuming ListPosition, _ record: consuming PackedChildren?, at index: Int
    ) {
        (positions + index + 1).moveInitialize(from: positions + index, count: count - index)
        (records + index + 1).moveInitialize(from: records + index, count: count - index)
        (positions + index).initialize(to: position)
        (records + index).initialize(to: record)
        count += 1
        total += 1
    }

    /// Inserts a child into a branch that has room; its total is the caller's.
    func insert(_ child: PositionNode, at index: Int) {
        (positions + index + 1).moveInitialize(from: positions + index, count: count - index)
        (children + index + 1).moveInitialize(from: children + index, count: count - index)
        (positions + index).initialize(to: child.positions[0])
        (children + index).initialize(to: child)
        count += 1
    }

    func removePosition(at index: Int) {
        (positions + index).deinitialize(count: 1)
        (positions + index).moveInitialize(from: positions + index + 1, count: count - index - 1)
        (records + index).deinitialize(count: 1)
        (records + index).moveInitialize(from: records + index + 1, count: count - index - 1)
        count -= 1
        total -= 1
    }

    func removeChild(at index: Int) {
        (positions + index).deinitialize(count: 1)
        (positions + index).moveInitialize(from: positions + index + 1, count: count - index - 1)
        (children + index).deinitialize(count: 1)
        (children + index).moveInitialize(from: children + index + 1, count: count - index - 1)
        count -= 1
    }

    /// Moves what stands from `start` on to a new node.
    func split(at start: Int) -> PositionNode {
        let right = PositionNode(height: height)
        right.positions.moveInitialize(from: positions + start, count: count - start)
        if height > 0 {
            right.children.moveInitialize(from: children + start, count: count - start)
        } else {
            right.records.moveInitialize(from: records + start, count: count - start)
        }
        right.count = count - start
        count = start
        countPositions()
        right.countPositions()
        return right
    }

    func append(copyOf node: PositionNode) {
        (positions + count).initialize(from: node.positions, count: node.count)
        if height > 0 {
            (children + count).initialize(from: node.children, count: node.count)
        } else {
            (records + count).initialize(from: node.records, count: node.count)
        }
        count += node.count
        total += node.total
    }

    func countPositions() {
        total = height == 0 ? count : (0..<count).reduce(0) { $0 + children[$1].total }
    }
}

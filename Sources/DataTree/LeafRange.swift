/// The leaves of a value that lie behind one path and up to another: the unit in which a large value
/// is compared by hashes and sent again in part.
///
/// Paths are in their order: segment by segment, a location before what lies below it, and an
/// object's priority a leaf at `.priority`. Source: `firebase-semantics.md`, section 9.2.
public struct LeafRange: Equatable, Sendable {
    /// The range begins behind this path; nil lets it begin with the first leaf.
    public let after: Path?
    /// The range ends with this path; nil lets it end with the last leaf.
    public let through: Path?

    /// The leaves behind one path and up to another; nil is the end.
    public init(after: Path?, through: Path?) {
        self.after = after
        self.through = through
    }

    /// Whether a leaf is in the range.
    public func contains(_ leaf: Path) -> Bool {
        if let after, leaf <= after { return false }
        if let through, leaf > through { return false }
        return true
    }

    /// How much of what may lie at and below a path is in the range.
    enum Share {
        case nothing, part, all
        /// Nothing, and nothing of what comes behind the path.
        case over
    }

    func share(of place: Path) -> Share {
        if let through, place > through { return .over }
        if let after, place <= after, !place.contains(after) { return .nothing }
        let isCut = [after, through].contains { $0.map(place.contains) ?? false }
        return isCut ? .part : .all
    }

    /// The parts of a value that are in the range, each as large as possible: the writes that restore the
    /// range after all of its leaves were removed.
    ///
    /// - Complexity: O(children) for each object that is cut.
    public func parts(of value: Value) -> [(path: Path, value: Value)] {
        var collection = RangeParts(of: value, in: [self])
        while !collection.isComplete { _ = collection.advance(spending: .max) }
        return collection.parts[0]
    }
}

/// The parts of a value that are in some ranges, collected for all of them in one walk, which can stop and go on.
struct RangeParts: Sendable {
    private let ranges: [LeafRange]
    private var walk: PlaceWalk
    /// The range that the walk is in or before.
    private var index = 0
    private(set) var isComplete = false
    /// The parts in each range, priorities last: an object must be there before it can have one.
    private(set) var parts: [[(path: Path, value: Value)]]
    private var priorities: [(path: Path, value: Value)] = []
    private(set) var count = 0

    /// - Parameter ranges: Ascending, and without overlaps.
    init(of value: Value, in ranges: [LeafRange]) {
        self.ranges = ranges
        walk = PlaceWalk(value)
        parts = Array(repeating: [], count: ranges.count)
    }

    /// Visits so many locations, or begins so many ranges; returns how many.
    mutating func advance(spending units: Int) -> Int {
        var spent = 0
        while spent < units, !isComplete {
            spent += 1
            guard index < ranges.count, walk.next() else {
                endRange()
                isComplete = true
                break
            }
            let place = walk.path
            while index < ranges.count, ranges[index].share(of: place) == .over {
                spent += 1
                endRange()
            }
            if index < ranges.count { visit(place) }
        }
        return spent
    }

    private mutating func visit(_ place: Path) {
        switch ranges[index].share(of: place) {
        case .over, .nothing: break
        case .all: add(place)
        case .part where walk.isAtObject: walk.enter()
        case .part: if ranges[index].contains(place) { add(place) }
        }
    }

    private mutating func add(_ place: Path) {
        count += 1
        if place.isOfPriority {
            priorities.append((place, walk.value))
        } else {
            parts[index].append((place, walk.value))
        }
    }

    private mutating func endRange() {
        if !priorities.isEmpty {
            parts[index] += priorities
            priorities = []
        }
        index += 1
    }
}

extension Value {
    /// Calls `body` with each leaf in path order: primitives with their priorities, and the
    /// priorities of objects.
    public func forEachLeaf(_ body: (Path, Value) -> Void) {
        var walk = PlaceWalk(self)
        while walk.next() {
            if walk.isAtObject { walk.enter() } else { body(walk.path, walk.value) }
        }
    }

    /// Replaces the leaves of some ranges by parts, as `LeafRange.parts(of:)` gives them.
    ///
    /// - Complexity: O(n log n) in the leaves.
    public mutating func replace(
        _ ranges: [LeafRange], by parts: some Sequence<(path: Path, value: Value)>
    ) {
        var kept: [(path: Path, value: Value)] = []
        forEachLeaf { path, leaf in
            if !ranges.contains(where: { $0.contains(path) }) { kept.append((path, leaf)) }
        }
        let all = kept + parts
        self = .null
        // An object must be there before it can have a priority.
        for part in all where part.path.last != .priority { set(part.value, at: part.path) }
        for part in all where part.path.last == .priority { set(part.value, at: part.path) }
    }
}

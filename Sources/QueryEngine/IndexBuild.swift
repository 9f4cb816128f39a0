import DataTree

/// An index that is built in slices while its list changes.
///
///     var build = IndexBuild(by: order)
///     _ = build.advance(over: children, spending: 1_000)   // in each turn, until it is complete
///     build.update(change, in: children)                   // after each operation
///
/// A build covers the children up to a key. An operation on a covered child changes the build too; a later child is read once
/// the build gets there. As long as all covered children have null in the order, the build takes no memory. It asks for room
/// before it collects places, and then begins at the first child again.
struct IndexBuild: Sendable {
    enum Phase: Equatable {
        /// All children so far have null in the order.
        case scanning
        /// A child has something else, so that the index takes memory; the build waits for `beginCollecting`.
        case awaitingRoom
        /// The places of all covered children are in the index.
        case collecting
        /// All children are covered.
        case complete
    }

    /// The cost of a child while the build scans, and while it collects places.
    static let scanCost = 1
    static let collectCost = 8

    private(set) var phase = Phase.scanning
    /// The index of the covered children.
    private(set) var index: Index
    /// The last covered key.
    private var covered: Key?

    init(by order: ChildOrder) { index = Index(by: order, of: Children()) }

    /// Covers further children until their costs reach `work`.
    ///
    /// - Returns: The costs of the visited children.
    /// - Complexity: O(log n) for each child.
    mutating func advance(over children: Children, spending work: Int) -> Int {
        switch phase {
        case .scanning: return scan(children, spending: work)
        case .collecting: return collect(children, spending: work)
        case .awaitingRoom, .complete: return 0
        }
    }

    /// Begins to collect the places of all children, since there is room for them.
    mutating func beginCollecting() {
        precondition(phase == .awaitingRoom, "a build that is \(phase) wants no room")
        index.removeAllPlaces()
        phase = .collecting
    }

    /// Applies an operation; `children` are all children after it.
    mutating func update(_ change: ListChange, in children: Children) {
        if change.isWhole {
            self = IndexBuild(by: index.order)
            return
        }
        let changed = change.children.filter { isCovered($0.key) }
        if changed.isEmpty { return }
        if index.placeCount > 0 || phase == .collecting {
            index.update(ListChange(children: changed), in: children)
            if index.places == nil { self = IndexBuild(by: index.order) }
        } else if changed.contains(where: { index.order.sortValue(of: $0.new) != .null }) {
            (phase, covered) = (.awaitingRoom, nil)
        }
    }

    private func isCovered(_ key: Key) -> Bool {
        phase == .complete || covered.map { key <= $0 } ?? false
    }
}

// MARK: - Slices

extension IndexBuild {
    private mutating func scan(_ children: Children, spending work: Int) -> Int {
        var visited = 0
        var entries = uncovered(of: children)
        while visited < work / IndexBuild.scanCost {
            guard let (key, child) = entries.next() else {
                phase = .complete
                break
            }
            visited += 1
            guard index.order.sortValue(of: child) == .null else {
                (phase, covered) = (.awaitingRoom, nil)
                break
            }
            covered = key
        }
        return visited * IndexBuild.scanCost
    }

    private mutating func collect(_ children: Children, spending work: Int) -> Int {
        let count = work / IndexBuild.collectCost
        if covered == nil, children.count <= count {
            // To sort all of them at once costs less.
            index = Index(by: index.order, of: children)
            phase = .complete
            return children.count * IndexBuild.collectCost
        }
        var found: [Index.Entry] = []
        found.reserveCapacity(count)
        var entries = uncovered(of: children)
        while found.count < count {
            guard let (key, child) = entries.next() else {
                phase = .complete
                break
            }
            found.append((index.order.place(of: key, child), Index.record(child)))
            covered = key
        }
        index.insert(found)
        return found.count * IndexBuild.collectCost
    }

    /// The children behind the covered ones.
    private func uncovered(of children: Children) -> IteratorSequence<Children.Iterator> {
        guard let covered else { return IteratorSequence(children.makeIterator()) }
        var entries = children.entries(from: covered)
        if children.contains(covered) { _ = entries.next() }
        return entries
    }
}

import DataTree

/// An index that is built in slices while its list changes.
///
///     var build = IndexBuild(by: order)
///     _ = build.advance(over: children, spending: 1_000)   // in each turn, until it is complete
///     build.update(change, in: children)                   // after each operation
///
/// First the build visits the children in the order of their keys. As long as they have null in the order, it takes no
/// memory. Otherwise it asks for room, sorts the positions of a snapshot of the list, and then applies what has changed since.
struct IndexBuild: Sendable {
    enum Phase: Equatable {
        /// All children so far have null in the order.
        case scanning
        /// A child has something else, so that the index takes memory; the build waits for `beginCollecting`.
        case awaitingRoom
        /// The positions of the snapshot are being collected, in sorted runs.
        case collecting
        /// The runs are being merged.
        case merging
        /// The index has the snapshot; children that have changed since are updated.
        case catchingUp
        /// The index has all children.
        case complete
    }

    /// The costs of a child in each phase.
    static let scanCost = 3
    static let collectCost = 4
    static let mergeCost = 2
    static let updateCost = 8

    private(set) var phase = Phase.scanning
    private(set) var index: Index
    /// The last visited key of the list, or of its snapshot.
    private var covered: Key?
    /// The list when the first position was collected.
    private var snapshot: Children?
    private var sort = PositionSort()
    /// The keys of children that have changed since, and the order in which they are updated.
    private var changed: Set<Key> = []
    private var updates: [Key] = []

    init(by order: ChildOrder) { index = Index(by: order, of: Children()) }

    /// Works until the costs reach `work`.
    ///
    /// - Returns: The costs.
    /// - Complexity: O(log n) for each child.
    mutating func advance(over children: Children, spending work: Int) -> Int {
        var rest = work
        var last: Phase?
        while phase != last {
            last = phase
            switch phase {
            case .scanning: rest -= scan(children, limit: rest / Self.scanCost) * Self.scanCost
            case .collecting:
                rest -= collect(children, limit: rest / Self.collectCost) * Self.collectCost
            case .merging: rest -= merge(limit: rest / Self.mergeCost) * Self.mergeCost
            case .catchingUp:
                rest -= catchUp(children, limit: rest / Self.updateCost) * Self.updateCost
            case .awaitingRoom, .complete: break
            }
        }
        return work - rest
    }

    /// Begins to collect the positions of all children, since there is room for them.
    mutating func beginCollecting() {
        precondition(phase == .awaitingRoom, "a build that is \(phase) wants no room")
        (phase, covered) = (.collecting, nil)
    }

    /// Applies an operation; `children` are all children after it.
    mutating func update(_ change: ListChange, in children: Children) {
        if change.isReplacement || children.isEmpty {
            self = IndexBuild(by: index.order)
            return
        }
        switch phase {
        case .scanning:
            let isNull = change.children.allSatisfy {
                !isVisited($0.key) || index.order.sortValue(of: $0.new) == .null
            }
            if !isNull { phase = .awaitingRoom }
        case .awaitingRoom: break
        case .collecting, .merging:
            if snapshot != nil { changed.formUnion(change.children.map(\.key)) }
        case .catchingUp, .complete:
            let others = change.children.filter { !changed.contains($0.key) }
            index.update(ListChange(children: others), in: children)
        }
    }

    private func isVisited(_ key: Key) -> Bool { covered.map { key <= $0 } ?? false }
}

// MARK: - Slices

// Each visits at most `limit` children, and returns their number.
extension IndexBuild {
    private mutating func scan(_ children: Children, limit: Int) -> Int {
        var visited = 0
        var entries = children.entries(behind: covered)
        while visited < limit {
            guard let (key, child) = entries.next() else {
                phase = .complete
                break
            }
            visited += 1
            guard index.order.sortValue(of: child) == .null else {
                phase = .awaitingRoom
                break
            }
            covered = key
        }
        return visited
    }

    private mutating func collect(_ children: Children, limit: Int) -> Int {
        let list = snapshot ?? children
        snapshot = list
        var visited = 0
        var entries = list.entries(behind: covered)
        while visited < limit {
            guard let (key, child) = entries.next() else {
                sort.beginMerge()
                phase = .merging
                break
            }
            visited += 1
            sort.append(index.order.position(of: key, child), Index.record(child))
            covered = key
        }
        return visited
    }

    private mutating func merge(limit: Int) -> Int {
        let merged = sort.merge(limit: limit)
        if sort.isMerged {
            index.begin(with: sort.tree)
            sort = PositionSort()
            updates = changed.sorted(by: >)
            phase = .catchingUp
        }
        return merged
    }

    private mutating func catchUp(_ children: Children, limit: Int) -> Int {
        var updated = 0
        while updated < limit, let key = updates.popLast() {
            let child = ListChange.Child(
                key: key, old: snapshot?[key] ?? .null, new: children[key] ?? .null)
            if !child.wasNull || !child.new.isNull {
                index.update(ListChange(children: [child]), in: children)
            }
            changed.remove(key)
            updated += 1
        }
        if updates.isEmpty { (phase, snapshot) = (.complete, nil) }
        return updated
    }
}

extension Children {
    /// The children behind a key, or all without one.
    fileprivate func entries(behind key: Key?) -> IteratorSequence<Children.Iterator> {
        guard let key else { return IteratorSequence(makeIterator()) }
        var entries = entries(from: key)
        if contains(key) { _ = entries.next() }
        return entries
    }
}

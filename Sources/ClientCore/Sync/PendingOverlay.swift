import DataTree

/// The pending writes at one location, and the result of applying them one after another.
///
/// The newest write determines the value at a location, so no write is replayed. Only the priority
/// of an object depends on more: it is lost when the object is empty in between. Only if that is
/// possible, the writes are applied in order.
struct PendingOverlay: Sendable {
    /// Which writes count.
    enum WriteFilter: Sendable {
        case shown
        /// All, or all that were made before one of them.
        case all(before: WriteID?)
    }

    private let node: PendingNode
    private let filter: WriteFilter
    /// The value of the newest write of the whole location; older writes below do not count.
    private let whole: (id: WriteID, value: Value)?

    init(_ root: PendingNode, _ filter: WriteFilter) { self.init(root, filter, beneath: nil) }

    private init(
        _ node: PendingNode, _ filter: WriteFilter, beneath above: (id: WriteID, value: Value)?
    ) {
        self.node = node
        self.filter = filter
        whole = node.newest(filter, after: above?.id).map { ($0.id, $0.value) } ?? above
    }

    /// Whether a write replaces the whole location, so that its value depends on nothing else.
    var isReplaced: Bool { whole != nil }

    /// Whether there is no write at or below the location, nor one above that replaces it.
    var isEmpty: Bool { whole == nil && node.children.isEmpty }

    subscript(key: Key) -> PendingOverlay {
        PendingOverlay(
            node.children[key] ?? PendingNode(), filter,
            beneath: whole.map { ($0.id, $0.value[key]) })
    }

    subscript(path: Path) -> PendingOverlay { path.keys.reduce(self) { $0[$1] } }
}

// MARK: - Applying

extension PendingOverlay {
    /// A value with these writes over it; nil if neither the base nor the writes determine it.
    func completed(over base: Value?) -> Value? { (whole?.value ?? base).map(applied) }

    /// A value with these writes over it.
    ///
    /// - Complexity: O(m log n) for m places written at and below, in a list of n.
    func applied(to base: Value) -> Value {
        let base = whole?.value ?? base
        if node.children.isEmpty { return base }
        return isOrderFelt(over: base) ? appliedInOrder(to: base) : appliedTogether(to: base)
    }

    /// The children of an incomplete base with these writes over them, and the children that are completely
    /// written.
    func completedChildren(over base: Value) -> Value {
        if isReplaced { return Value(applied(to: .null).children) }
        var known = base.children
        for (key, _) in node.children where key != .priority {
            let child = self[key]
            guard child.isReplaced || known[key] != nil else { continue }
            known[key] = child.applied(to: known[key] ?? .null).unlessNull
        }
        return Value(known)
    }

    /// Writes that fill come before writes that empty, so that no object is empty in between.
    private func appliedTogether(to base: Value) -> Value {
        var result = base.isPrimitive && writes({ !$0.isNull }) ? .null : base
        var removed: [Key] = []
        for (key, _) in node.children where key != .priority {
            let new = self[key].applied(to: base[key])
            if new.isNull {
                removed.append(key)
            } else {
                result.set(new, at: Path([key]))
            }
        }
        for key in removed { result.set(.null, at: Path([key])) }
        return result.prioritized(priority(over: base))
    }

    private func appliedInOrder(to base: Value) -> Value {
        var steps: [PendingStep] = []
        node.appendSteps(filter, after: whole?.id, at: .root, to: &steps)
        var result = base
        for step in steps.sorted() { result.set(step.value, at: step.path) }
        return result
    }
}

// MARK: - Order

extension PendingOverlay {
    /// Whether the value over a base depends on more than the newest write of each place.
    ///
    /// - Complexity: O(places written below) if all children of an object with a priority are
    ///   written; otherwise O(log n).
    func isOrderFelt(over base: Value) -> Bool {
        let base = whole?.value ?? base
        if base.priority.isNull, node.children[.priority] == nil { return false }
        let count = base.children.count
        // A child that no write touches keeps the object.
        return node.children.count >= count && (count == 0 || writes(\.isNull))
    }

    /// The priority with these writes over that of a base that is never empty.
    func priority(over base: Value) -> Value { self[.priority].applied(to: base.priority) }

    /// Whether a write below, priorities excepted, has a value for which the predicate holds.
    private func writes(_ isSuch: (Value) -> Bool) -> Bool {
        node.contains(filter, after: whole?.id, isSuch)
    }
}

/// A write of one place, as part of the sequence of all.
private struct PendingStep: Comparable {
    let id: WriteID
    let path: Path
    let value: Value

    /// Within one write, values that fill come first and priorities last.
    private var rank: Int { path.last == .priority ? 2 : value.isNull ? 1 : 0 }

    static func == (a: PendingStep, b: PendingStep) -> Bool { !(a < b) && !(b < a) }

    static func < (a: PendingStep, b: PendingStep) -> Bool {
        (a.id, a.rank, a.path) < (b.id, b.rank, b.path)
    }
}

extension PendingNode {
    fileprivate func counted(
        _ filter: PendingOverlay.WriteFilter, after id: WriteID?
    ) -> some Sequence<Entry> {
        entries.lazy.reversed().prefix { entry in id.map { entry.id > $0 } ?? true }
            .filter { $0.counts(in: filter) }
    }

    fileprivate func newest(_ filter: PendingOverlay.WriteFilter, after id: WriteID?) -> Entry? {
        counted(filter, after: id).first { _ in true }
    }

    fileprivate func contains(
        _ filter: PendingOverlay.WriteFilter, after id: WriteID?, _ isSuch: (Value) -> Bool
    ) -> Bool {
        children.contains { key, child in
            guard key != .priority else { return false }
            return child.counted(filter, after: id).contains { isSuch($0.value) }
                || child.contains(filter, after: id, isSuch)
        }
    }

    fileprivate func appendSteps(
        _ filter: PendingOverlay.WriteFilter, after id: WriteID?, at path: Path,
        to steps: inout [PendingStep]
    ) {
        for (key, child) in children {
            let path = path.appending(key)
            for entry in child.counted(filter, after: id) {
                steps.append(PendingStep(id: entry.id, path: path, value: entry.value))
            }
            child.appendSteps(filter, after: id, at: path, to: &steps)
        }
    }
}

extension PendingNode.Entry {
    fileprivate func counts(in filter: PendingOverlay.WriteFilter) -> Bool {
        switch filter {
        case .shown: visibility == .shown
        case .all(before: let limit): limit.map { id < $0 } ?? true
        }
    }
}

extension Value {
    fileprivate var unlessNull: Value? { isNull ? nil : self }
}

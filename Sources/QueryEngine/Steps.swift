import DataTree

/// One step of an operation: a path, and the value that is put there.
typealias Step = (path: Path, value: Value)

extension Value {
    /// Applies the steps of one operation.
    ///
    /// They happen together: no object is empty on the way to being filled, for it would lose its
    /// priority. But where one path contains another, the given order counts.
    mutating func apply(_ steps: [Step]) {
        let isOrdered = Value.areNested(steps.map(\.path))
        for step in isOrdered ? steps : Value.fillingFirst(steps) {
            set(step.value, at: step.path)
        }
    }

    /// This value as it was before some changes, whose paths begin `depth` keys above it.
    ///
    /// - Complexity: O(size of the paths), besides copying the nodes that others share.
    func reverting(_ changes: ArraySlice<Change>, below depth: Int) -> Value {
        var value = self
        var kept: [Path] = []
        for change in changes.reversed() {
            let path = depth == 0 ? change.path : Path(Array(change.path.keys[depth...]))
            if changes.count > 1, change.old.isNull { value.keepAlive(above: path, &kept) }
            value.set(change.old, at: path)
        }
        for path in kept.sorted(by: >) { value.set(.null, at: path) }
        return value
    }

    /// Gives the object at the end of a path a child that no data can have. The changes of one write have no
    /// order, so the object may be empty in between, and must not lose its priority then.
    private mutating func keepAlive(above path: Path, _ kept: inout [Path]) {
        guard let parent = path.parent, !self[parent].children.isEmpty else { return }
        let child = parent.appending(.least)
        set(.boolean(true), at: child)
        kept.append(child)
    }

    /// Whether one of the paths contains another one.
    static func areNested(_ paths: [Path]) -> Bool {
        if paths.count < 2 { return false }
        let paths = paths.sorted()
        return zip(paths, paths.dropFirst()).contains { $0.contains($1) }
    }

    /// Steps that fill come before steps that empty, and priorities come last.
    private static func fillingFirst(_ steps: [Step]) -> [Step] {
        if steps.count < 2 { return steps }
        let values = steps.filter { $0.path.last != .priority }
        return values.filter { !$0.value.isNull } + values.filter { $0.value.isNull }
            + steps.filter { $0.path.last == .priority }
    }
}

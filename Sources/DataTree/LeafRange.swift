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
    private enum Share { case nothing, part, all }

    private func share(of place: Path) -> Share {
        if let through, place > through { return .nothing }
        if let after, place <= after, !place.contains(after) { return .nothing }
        let isCut = [after, through].contains { $0.map(place.contains) ?? false }
        return isCut ? .part : .all
    }

    /// The parts of a value that are in the range, each as large as possible: the writes that restore the
    /// range after all of its leaves were removed.
    ///
    /// - Complexity: O(children) for each object that is cut.
    public func parts(of value: Value) -> [(path: Path, value: Value)] {
        var parts: [(path: Path, value: Value)] = []
        append(value, at: .root, to: &parts)
        return parts
    }

    private func append(
        _ value: Value, at place: Path, to parts: inout [(path: Path, value: Value)]
    ) {
        if value.isNull { return }
        switch share(of: place) {
        case .nothing: return
        case .all: parts.append((place, value))
        case .part where value.isPrimitive:
            if contains(place) { parts.append((place, value)) }
        case .part:
            for (key, child) in value.children {
                append(child, at: place.appending(key), to: &parts)
            }
            append(value.priority, at: place.appending(.priority), to: &parts)
        }
    }
}

extension Value {
    /// Calls `body` with each leaf in path order: primitives with their priorities, and the
    /// priorities of objects.
    public func forEachLeaf(_ body: (Path, Value) -> Void) {
        var place = Path.root
        forEachLeaf(below: &place, body)
    }

    private func forEachLeaf(below place: inout Path, _ body: (Path, Value) -> Void) {
        if isNull { return }
        guard case .object(let children) = content else { return body(place, self) }
        var priority = priority
        func visit(_ key: Key, _ child: Value) {
            place.keys.append(key)
            child.forEachLeaf(below: &place, body)
            place.keys.removeLast()
        }
        for (key, child) in children {
            if !priority.isNull, .priority < key { visit(.priority, priority.take()) }
            visit(key, child)
        }
        if !priority.isNull { visit(.priority, priority) }
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

internal import DataTree

/// The way from the root to the place whose rules are evaluated: along a path, as far as there are
/// rules, and then through the written value below its end.
struct Route: Sendable {
    /// A tree that rules look at.
    enum Tree: Sendable {
        case before
        case after
    }

    /// A place below the end of the path, with what the operation leaves there.
    private struct Found: Sendable {
        let key: Key
        let value: Value
    }

    /// The values at the first places before and after the operation, as far as a rule has read
    /// them.
    private struct Seen: Sendable {
        var before: [Value] = []
        var after: [Value] = []
    }

    private let levels: [RuleLevel]
    /// The level of the document that leads to the end of the way.
    private(set) var level = 0
    /// How many keys the way has.
    private(set) var depth = 0
    /// The path along which the way leads; it may be longer.
    private(set) var path = Path.root
    /// The value at the end of the path after the operation, if it is known without the resulting
    /// tree.
    private var written = Value.null
    private var knowsWritten = false
    /// The last place, if it is below the end of the path; beside it, so that most ways take no memory for them, the others
    /// there above it.
    private var last = Found(key: .priority, value: .null)
    private var others: [Found] = []
    private var seen: Seen?

    /// The way that is only the root of some levels.
    init(_ levels: [RuleLevel]) { self.levels = levels }

    /// The level of the document that leads to a place.
    func level(at depth: Int) -> Int { levels[level].way[depth] }

    /// The key that leads to a place from the one before.
    func key(at depth: Int) -> Key {
        depth <= path.count ? path.keys[depth - 1] : found(at: depth).key
    }

    private func found(at depth: Int) -> Found {
        depth == self.depth ? last : others[depth - path.count - 1]
    }

    /// The path of a place of the way.
    func path(at depth: Int) -> Path { Path((0..<depth).map { key(at: $0 + 1) }) }
}

// MARK: - Going on and back

extension Route {
    /// Goes back to the last place that leads to a path, along which the way then goes on.
    mutating func turn(to path: Path) {
        var shared = 0
        let limit = min(depth, path.count)
        while shared < limit, key(at: shared + 1) == path.keys[shared] { shared += 1 }
        ascend(to: shared)
        self.path = path
        knowsWritten = false
    }

    /// Begins, at the root, with a place on a path whose level is known.
    mutating func begin(_ path: Path, at level: Int, _ depth: Int) {
        (self.path, self.level, self.depth) = (path, level, depth)
    }

    /// Goes on along the path to a place of so many keys.
    mutating func advance(to level: Int, depth: Int) { (self.level, self.depth) = (level, depth) }

    /// Records what the operation leaves at the end of the path.
    mutating func find(_ value: Value) {
        written = value
        knowsWritten = true
    }

    /// Goes on from the end of the path, or from below, by a key and to what the operation leaves there.
    mutating func descend(by key: Key, finding value: Value, to level: Int) {
        if depth > path.count { others.append(last) }
        last = Found(key: key, value: value)
        advance(to: level, depth: depth + 1)
    }

    /// Goes back until so many keys are left.
    mutating func ascend(to depth: Int) {
        if depth >= self.depth { return }
        level = level(at: depth)
        let isBelow = depth > path.count
        let count = isBelow ? depth - path.count - 1 : 0
        if isBelow { last = others[count] }
        if !others.isEmpty { others.removeLast(others.count - count) }
        self.depth = depth
        guard seen != nil else { return }
        while seen!.before.count > depth + 1 { seen!.before.removeLast() }
        while seen!.after.count > depth + 1 { seen!.after.removeLast() }
    }
}

// MARK: - Looking

extension Route {
    /// Returns the result of a function on the value at the place of so many keys before the
    /// operation.
    @inline(__always)
    mutating func look<Result>(
        before depth: Int, in tree: @autoclosure () -> Value, _ body: (Value) -> Result
    ) -> Result {
        body(see(depth, in: \.before, of: tree()))
    }

    /// Returns the result of a function on the value at the place of so many keys after the
    /// operation.
    @inline(__always)
    mutating func look<Result>(
        after depth: Int, in tree: @autoclosure () -> Value, _ body: (Value) -> Result
    ) -> Result {
        if depth > path.count { return body(found(at: depth).value) }
        if depth == path.count, knowsWritten { return body(written) }
        return body(see(depth, in: \.after, of: tree()))
    }

    private mutating func see(
        _ depth: Int, in side: WritableKeyPath<Seen, [Value]>, of tree: @autoclosure () -> Value
    ) -> Value {
        var values = (seen ?? Seen())[keyPath: side]
        if values.isEmpty { values.append(tree()) }
        while values.count <= depth {
            values.append(values[values.count - 1].children[key(at: values.count)] ?? .null)
        }
        seen = seen ?? Seen()
        seen![keyPath: side] = values
        return values[depth]
    }
}

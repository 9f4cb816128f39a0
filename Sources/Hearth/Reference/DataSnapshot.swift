public import DataTree

/// What a place held at one moment; it never changes.
public struct DataSnapshot: Sendable {
    /// The place.
    public let ref: DatabaseReference
    /// All of it, priorities included.
    public let data: Value

    init(_ data: Value, at ref: DatabaseReference) {
        self.data = data
        self.ref = ref
    }

    /// The last key of the place; nil at the root.
    public var key: String? { ref.key }

    public func exists() -> Bool { !data.isNull }

    /// The content as Swift's own types, or nil if nothing is here: `Bool`, `Int`, `Double`,
    /// `String`, `[String: Any]`, and `[Any]` where Firebase renders an array, holes as `NSNull`
    /// would be: as nil.
    ///
    /// - Complexity: O(size).
    public var value: Any? { data.plain }

    /// The content with priorities, in Firebase's export form.
    public var valueInExportFormat: Any? { data.exported }

    /// The priority: a number, a string, or nil.
    public var priority: Any? { data.priority.plain }

    public var childrenCount: Int { data.children.count }

    public func hasChildren() -> Bool { !data.children.isEmpty }

    public func hasChild(_ path: String) -> Bool { childSnapshot(forPath: path).exists() }

    /// What is at a relative path; an invalid path is a mistake of the program and stops it.
    public func childSnapshot(forPath path: String) -> DataSnapshot {
        let place = ref.child(path)
        return DataSnapshot(data[place.path.relative(to: ref.path)], at: place)
    }

    /// The children in order: by priority, then by key.
    ///
    /// - Complexity: O(n), and O(n log n) if any has a priority.
    public var children: [DataSnapshot] {
        let children = data.children.map { (key: $0.key, value: $0.value) }
        let hasPriorities = children.contains { !$0.value.priority.isNull }
        let ordered =
            hasPriorities
            ? children.sorted { a, b in
                switch a.value.priority.order(to: b.value.priority) {
                case .before: true
                case .same: a.key < b.key
                case .after: false
                }
            } : children
        return ordered.map { key, value in
            DataSnapshot(value, at: DatabaseReference(ref.database, ref.path.appending(key)))
        }
    }
}

extension Value {
    fileprivate var plain: Any? {
        switch self {
        case .null, .deferred: return nil
        case .boolean(let value): return value
        case .integer(let value): return Int(value)
        case .double(let value): return value
        case .string(let value): return value
        case .prioritized(let value): return value.content.plain
        case .object(let children):
            if let length = children.arrayLength {
                return (0..<length).map { index -> Any? in
                    children[DataTree.Key(unchecked: String(index))]?.plain
                }
            }
            var members: [String: Any] = [:]
            for (key, child) in children { members[key.text] = child.plain }
            return members
        }
    }

    fileprivate var exported: Any? {
        var members: [String: Any] = [:]
        for (key, child) in children { members[key.text] = child.exported }
        let isObject = !members.isEmpty
        if priority.isNull { return isObject ? members : plain }
        members[".priority"] = priority.plain
        if !isObject { members[".value"] = content.plain }
        return members
    }
}

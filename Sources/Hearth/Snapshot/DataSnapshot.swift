public import DataTree
internal import QueryEngine

/// What a place, or a query there, held at one moment; it never changes.
public struct DataSnapshot: Sendable {
    /// The place.
    public let ref: DatabaseReference
    /// All of it, priorities included.
    public let data: Value
    private let order: ChildOrder

    init(_ data: Value, at ref: DatabaseReference, by order: ChildOrder = .priority) {
        self.data = data
        self.ref = ref
        self.order = order
    }

    /// The last key of the place; nil at the root.
    public var key: String? { ref.key }

    /// Whether something is here.
    public func exists() -> Bool { !data.isNull }

    /// The content as Swift's own types, or nil if nothing is here: `Bool`, `Int`, `Double`,
    /// `String`, `[String: Any]`, and `[Any?]` where Firebase renders an array, nil for its holes.
    ///
    /// - Complexity: O(size).
    public var value: Any? { data.plain }

    /// The content with priorities, in Firebase's export form.
    ///
    /// - Complexity: O(size).
    public func valueInExportFormat() -> Any? { data.exported }

    /// The priority: a number, a string, or nil.
    public var priority: Any? { data.priority.plain }

    /// How many children there are.
    public var childrenCount: UInt { UInt(data.children.count) }

    /// Whether there is a child.
    public func hasChildren() -> Bool { !data.children.isEmpty }

    /// Whether something is at a relative path.
    public func hasChild(_ path: String) -> Bool { childSnapshot(forPath: path).exists() }

    /// What is at a relative path; an invalid path is a mistake of the program and stops it.
    public func childSnapshot(forPath path: String) -> DataSnapshot {
        let place = ref.child(path)
        return DataSnapshot(data[place.path.relative(to: ref.path)], at: place)
    }

    /// The children, in the order of the query that was asked; without one, by priority.
    ///
    /// - Complexity: O(n), and O(n log n) in any other order than that of the keys.
    public var children: [DataSnapshot] {
        data.children.ordered(by: order).map { key, value in
            DataSnapshot(value, at: DatabaseReference(ref.database, ref.path.appending(key)))
        }
    }
}

extension DataSnapshot: CustomStringConvertible {
    public var description: String { "\(ref.path): \(data)" }
}

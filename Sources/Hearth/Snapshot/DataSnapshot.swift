public import DataTree
internal import Foundation
internal import QueryEngine

/// The data of a place, or of a query there, at one moment; it never changes.
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

    /// The last key of the place; empty at the root.
    public var key: String { ref.key ?? "" }

    /// Whether there are data.
    public func exists() -> Bool { !data.isNull }

    /// The content, as in Firebase: a `String`, an `NSNumber`, a `[String: Any]`, or an `[Any]` where Firebase
    /// renders an array, and `NSNull` for its holes and if nothing is here.
    ///
    /// A number is cast to each type that holds it: `snapshot.value as? Int`, `as? Double`; a truth to `Bool`.
    /// Missing data are `NSNull`, so each of these casts gives nil.
    ///
    /// - Complexity: O(size).
    public var value: Any? { data.plain ?? NSNull() }

    /// The content with priorities, in Firebase's export form.
    ///
    /// - Complexity: O(size).
    public func valueInExportFormat() -> Any? { data.exported ?? NSNull() }

    /// The priority: a number, a string, or nil.
    public var priority: Any? { data.priority.plain }

    /// How many children there are.
    public var childrenCount: UInt { UInt(data.children.count) }

    /// Whether there is a child.
    public func hasChildren() -> Bool { !data.children.isEmpty }

    /// Whether there are data at a relative path, which is false for an invalid one.
    public func hasChild(_ path: String) -> Bool { childSnapshot(forPath: path).exists() }

    /// The data at a relative path: none at an invalid path, which the SDK logs.
    public func childSnapshot(forPath path: String) -> DataSnapshot {
        let place = ref.child(path)
        return DataSnapshot(data[place.path.relative(to: ref.path)], at: place)
    }

    /// The children, in the order of the query that was asked; without one, by priority.
    ///
    /// - Complexity: O(n), and O(n log n) in any other order than that of the keys.
    public var children: DataEnumerator<DataSnapshot> {
        DataEnumerator(
            data.children.ordered(by: order).map { key, value in
                DataSnapshot(value, at: DatabaseReference(ref.database, ref.path.appending(key)))
            })
    }
}

extension DataSnapshot: CustomStringConvertible {
    /// The path and the data, for logs.
    public var description: String { "\(ref.path): \(data)" }
}

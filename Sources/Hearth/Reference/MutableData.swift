public import DataTree
internal import Foundation
internal import QueryEngine

/// The data that a transaction reads and changes. It is valid only while the transaction's function
/// runs.
public final class MutableData {
    /// All of the place, shared by the data of its children.
    private final class Root {
        var data: Value
        /// The first invalid call of the function, with which the transaction fails.
        var misuse: HearthError?

        init(_ data: Value) { self.data = data }
    }

    private let root: Root
    private let path: Path
    /// The last key of the place; nil at the root of the tree.
    public let key: String?

    convenience init(_ data: Value, at reference: DatabaseReference) {
        self.init(Root(data), .root, reference.key)
    }

    private init(_ root: Root, _ path: Path, _ key: String?) {
        self.root = root
        self.path = path
        self.key = key
    }

    /// The data, priorities included.
    public var data: Value {
        get { root.data[path] }
        set { root.data.set(newValue, at: path) }
    }

    /// The content, as `DataSnapshot.value` gives it; `NSNull` if nothing is here, or nothing is known yet. A new
    /// one keeps the priority. A value that cannot be stored fails the transaction with the code `invalid`.
    public var value: Any? {
        get { data.plain ?? NSNull() }
        set {
            attempt { () throws(DataError) in
                let new = try Value(plain: newValue)
                data = new.priority.isNull ? new.prioritized(data.priority) : new
            }
        }
    }

    /// The priority: a number, a string, or nil. Any other one fails the transaction with the code `invalid`.
    public var priority: Any? {
        get { data.priority.plain }
        set {
            attempt { () throws(DataError) in
                data = data.prioritized(
                    try ObjectBuilder.checked(priority: try Value(plain: newValue)))
            }
        }
    }

    /// The first invalid call of the function, with which the transaction fails.
    var misuse: HearthError? { root.misuse }

    private func attempt(_ step: () throws(DataError) -> Void) {
        do throws(DataError) {
            try step()
        } catch {
            root.misuse = root.misuse ?? .misuse(error)
        }
    }

    /// How many children there are.
    public var childrenCount: UInt { UInt(data.children.count) }

    /// Whether there is a child.
    public func hasChildren() -> Bool { !data.children.isEmpty }

    /// Whether something is at a relative path.
    public func hasChild(atPath path: String) -> Bool {
        !childData(byAppendingPath: path).data.isNull
    }

    /// Returns the data at a relative path, to read and change. An invalid path fails the
    /// transaction with the code `invalid`.
    public func childData(byAppendingPath path: String) -> MutableData {
        var relative = Path.invalid(path)
        attempt { () throws(DataError) in relative = try Path(path) }
        let path = self.path.appending(relative)
        return MutableData(root, path, path.last?.text ?? key)
    }

    /// The children, by priority, then by key.
    public var children: DataEnumerator<MutableData> {
        DataEnumerator(
            data.children.ordered(by: .priority).map {
                MutableData(root, path.appending($0.key), $0.key.text)
            })
    }
}

/// The decision of a transaction's function: to write the changed data, or to give up.
public struct TransactionResult {
    /// The data to write; nil to give up.
    let data: Value?

    /// Writes the data as the function changed it, unless the place has changed meanwhile.
    public static func success(withValue data: MutableData) -> TransactionResult {
        TransactionResult(data: data.data)
    }

    /// Nothing is to be written.
    public static func abort() -> TransactionResult { TransactionResult(data: nil) }
}

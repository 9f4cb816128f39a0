/// The children of a snapshot, or of a transaction's data, one after the other, with the names of the system's
/// `NSEnumerator`.
///
///     for child in snapshot.children { print(child.key) }
///     let all = snapshot.children.allObjects as! [DataSnapshot]
///     let first = snapshot.children.nextObject() as? DataSnapshot
public final class DataEnumerator<Element>: Sequence, IteratorProtocol {
    private var rest: ArraySlice<Element>

    init(_ elements: [Element]) { rest = elements[...] }

    /// The next child; nil behind the last one.
    public func next() -> Element? { rest.popFirst() }

    /// The next child; nil behind the last one.
    public func nextObject() -> Any? { next() }

    /// All children that were not given out yet, as an array of snapshots.
    public var allObjects: [Any] {
        defer { rest = [] }
        return Array(rest)
    }

    /// The number of children that are left.
    public var underestimatedCount: Int { rest.count }
}

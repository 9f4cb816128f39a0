import DataTree

/// The position of a child in an order.
struct ListPosition: Sendable {
    let sortValue: SortValue
    let key: Key
}

extension ListPosition: Comparable {
    @inline(__always)
    static func < (a: ListPosition, b: ListPosition) -> Bool {
        if a.sortValue != b.sortValue { return a.sortValue < b.sortValue }
        return a.key < b.key
    }

    @inline(__always)
    static func == (a: ListPosition, b: ListPosition) -> Bool {
        a.key == b.key && a.sortValue == b.sortValue
    }
}

/// A gap between two neighbouring positions of an order, where a range may begin or end.
struct Cut: Equatable, Sendable {
    let position: ListPosition
    /// Whether it lies behind its position, which need not be taken, or before it.
    let isBehind: Bool

    static func before(_ position: ListPosition) -> Cut { Cut(position: position, isBehind: false) }
    static func behind(_ position: ListPosition) -> Cut { Cut(position: position, isBehind: true) }

    /// Before all positions.
    static let start = before(all: .null)
    /// Behind all positions.
    static let end = behind(all: .greatest)

    /// Before all positions with a sort value.
    static func before(all value: SortValue) -> Cut {
        .before(ListPosition(sortValue: value, key: .least))
    }

    /// Behind all positions with a sort value.
    static func behind(all value: SortValue) -> Cut {
        .behind(ListPosition(sortValue: value, key: .greatest))
    }

    /// Whether a position lies before the cut.
    @inline(__always)
    func isBehind(_ other: ListPosition) -> Bool {
        isBehind ? !(position < other) : other < position
    }
}

extension Key {
    /// Before all keys that a child may have.
    static let least = Key(unchecked: "")
    /// Behind all keys that a child may have: no UTF-8 has this byte.
    static let greatest = [UInt8(0xFF)].withUnsafeBufferPointer { Key(uncheckedUTF8: $0) }
}

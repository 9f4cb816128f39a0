import DataTree

/// The place of a child in an order.
struct Place: Sendable {
    let sortValue: SortValue
    let key: Key
}

extension Place: Comparable {
    @inline(__always)
    static func < (a: Place, b: Place) -> Bool {
        if a.sortValue != b.sortValue { return a.sortValue < b.sortValue }
        return a.key < b.key
    }

    @inline(__always)
    static func == (a: Place, b: Place) -> Bool {
        a.key == b.key && a.sortValue == b.sortValue
    }
}

/// A gap between two neighbouring places of an order, where a range may begin or end.
struct Cut: Equatable, Sendable {
    let place: Place
    /// Whether it lies behind its place, which need not be taken, or before it.
    let isBehind: Bool

    static func before(_ place: Place) -> Cut { Cut(place: place, isBehind: false) }
    static func behind(_ place: Place) -> Cut { Cut(place: place, isBehind: true) }

    /// Before all places.
    static let start = before(all: .null)
    /// Behind all places.
    static let end = behind(all: .greatest)

    /// Before all places with a sort value.
    static func before(all value: SortValue) -> Cut {
        .before(Place(sortValue: value, key: .least))
    }

    /// Behind all places with a sort value.
    static func behind(all value: SortValue) -> Cut {
        .behind(Place(sortValue: value, key: .greatest))
    }

    /// Whether a place lies before the cut.
    @inline(__always)
    func isBehind(_ other: Place) -> Bool {
        isBehind ? !(place < other) : other < place
    }
}

extension Key {
    /// Before all keys that a child may have.
    static let least = Key(unchecked: "")
    /// Behind all keys that a child may have: no UTF-8 has this byte.
    static let greatest = [UInt8(0xFF)].withUnsafeBufferPointer { Key(uncheckedUTF8: $0) }
}

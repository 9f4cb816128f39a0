public import DataTree

/// The children of a place, without the data below them: for large lists.
///
/// On the wire it is a map:
///
///     {"count": 3, "children": {"a": 5, "b": {"count": 7}}, "next": "c"}
///     {"value": 5}
///
/// A child that is an object is a map with its count alone, which no leaf can be. `next` is the key at which the
/// rest begins; `value` is the leaf at a place without children.
public struct ChildListing: Equatable, Sendable {
    /// The content at one key.
    public enum Child: Equatable, Sendable {
        /// A string, a number or a boolean.
        case leaf(Value)
        /// So many children, one at least.
        case object(count: Int)
    }

    /// A child, as a listing shows it.
    public struct Entry: Equatable, Sendable {
        /// Its key.
        public let key: Key
        /// What is there.
        public let child: Child
    }

    /// One listing has so many children at most.
    public static let countLimit = 10_000
    /// Beyond so many bytes of keys and leaves a listing ends with the next child.
    static let byteLimit = 1 << 20

    /// All children at the place, listed or not.
    public private(set) var count = 0
    /// In key order.
    public private(set) var entries: [Entry] = []
    /// The first key that is not listed though it could be.
    public private(set) var next: Key?
    /// The leaf at the place; null for an object.
    public private(set) var leaf = Value.null

    /// Adds the listing that begins where this one ends.
    public mutating func append(_ following: ChildListing) {
        entries += following.entries
        next = following.next
        count = max(count, following.count)
    }

    /// All that is listed as a value, with true in place of each object, as Firebase's `shallow=true`.
    public var shallowValue: Value {
        if !leaf.isNull { return leaf }
        var children = Children()
        for entry in entries {
            switch entry.child {
            case .leaf(let leaf): children[entry.key] = leaf
            case .object: children[entry.key] = .boolean(true)
            }
        }
        return Value(children)
    }

    package var isEmpty: Bool { count == 0 && leaf.isNull }

    /// Lists a value's children from a key on.
    ///
    /// - Complexity: O(log n + what is listed).
    public init(of value: Value, from start: Key? = nil, limit: Int? = nil) {
        guard case .object(let children) = value.content else {
            leaf = value.content
            return
        }
        count = children.count
        var room = (
            count: min(limit ?? .max, ChildListing.countLimit), bytes: ChildListing.byteLimit
        )
        let first = start.map { children.rank(of: $0) } ?? 0
        guard first < count else { return }
        for (key, value) in children.entries(from: children.entry(at: first).key) {
            guard room.count > 0, room.bytes > 0 else {
                next = key
                return
            }
            let entry = Entry(key: key, child: Child(value.content))
            entries.append(entry)
            room = (room.count - 1, room.bytes - entry.byteCount)
        }
    }
}

extension ChildListing.Child {
    fileprivate init(_ value: Value) {
        switch value {
        case .object(let children): self = .object(count: children.count)
        default: self = .leaf(value)
        }
    }
}

extension ChildListing.Entry {
    /// Roughly the bytes on the wire.
    fileprivate var byteCount: Int {
        switch child {
        case .leaf(.string(let text)): key.utf8Count + text.utf8.count
        case .leaf, .object: key.utf8Count + 9
        }
    }
}

// MARK: - On the wire

extension ChildListing {
    private static let countKey = Key(unchecked: "count")
    private static let childrenKey = Key(unchecked: "children")
    private static let nextKey = Key(unchecked: "next")
    private static let valueKey = Key(unchecked: "value")

    /// The map that stands for this in a message.
    public var value: Value {
        var members = Children()
        if !leaf.isNull { members[ChildListing.valueKey] = leaf }
        if count > 0 { members[ChildListing.countKey] = .integer(Int64(count)) }
        if let next { members[ChildListing.nextKey] = .string(next.text) }
        var children = Children()
        for entry in entries {
            switch entry.child {
            case .leaf(let leaf): children[entry.key] = leaf
            case .object(let count):
                var size = Children()
                size[ChildListing.countKey] = .integer(Int64(count))
                children[entry.key] = Value(size)
            }
        }
        if !entries.isEmpty { members[ChildListing.childrenKey] = Value(children) }
        return Value(members)
    }

    /// Reads the map; missing members are empty.
    public init(_ value: Value) {
        leaf = value[ChildListing.valueKey]
        if case .integer(let count) = value[ChildListing.countKey] { self.count = Int(count) }
        if case .string(let text) = value[ChildListing.nextKey] { next = try? Key(text) }
        for (key, child) in value[ChildListing.childrenKey].children {
            if case .integer(let count) = child[ChildListing.countKey] {
                entries.append(Entry(key: key, child: .object(count: Int(count))))
            } else {
                entries.append(Entry(key: key, child: .leaf(child)))
            }
        }
    }
}

/// The children of an object by key; never holds null.
///
/// They are a `SortedMap`, or *packed*: a few primitives, stored as their MessagePack bytes
/// (`PackedChildren`). Packed children are read in place; a change makes them a map. Both forms are
/// equal if their children are.
///
/// - Complexity: that of `SortedMap`; of packed children, which are at most fifteen, O(bytes).
public struct Children {
    @usableFromInline
    enum Storage {
        case map(SortedMap<Value>)
        case packed(PackedChildren)
    }

    @usableFromInline var storage: Storage

    /// No children; it owns no memory.
    @inlinable
    public init() { storage = .map(SortedMap()) }

    /// No children, and room for so many, or 64 if that is less.
    @inlinable
    public init(minimumCapacity capacity: Int) {
        storage = .map(SortedMap(minimumCapacity: capacity))
    }

    /// Whether there are no children.
    @inlinable
    public var isEmpty: Bool {
        if case .map(let map) = storage { map.isEmpty } else { false }
    }

    /// How many children there are.
    public var count: Int {
        switch storage {
        case .map(let map): map.count
        case .packed(let packed): packed.count
        }
    }

    /// Whether there is a child at a key; packed ones are not unpacked for it.
    public func contains(_ key: Key) -> Bool {
        switch storage {
        case .map(let map): map[key] != nil
        case .packed(let packed): packed.contains(key)
        }
    }

    /// The child at a key, or nil.
    public subscript(key: Key) -> Value? {
        get {
            switch storage {
            case .map(let map): map[key]
            case .packed(let packed): packed.child(at: key)
            }
        }
        set { mutate(key) { $0 = newValue } }
    }
}

// Packed bytes never change, and a shared map is copied before it is changed.
extension Children: @unchecked Sendable {}

// MARK: - Changes

extension Children {
    /// These children as a map.
    @inlinable
    var map: SortedMap<Value> {
        switch storage {
        case .map(let map): map
        case .packed(let packed): packed.map
        }
    }

    /// These children as a map; packed ones are unpacked.
    package var asMap: SortedMap<Value> { map }

    /// Changes the children as a map that nothing else refers to.
    @inlinable
    mutating func withMap<R>(_ body: (inout SortedMap<Value>) -> R) -> R {
        var map = takeMap()
        defer { storage = .map(map) }
        return body(&map)
    }

    /// Leaves no children behind and returns those that were here.
    @inlinable
    mutating func takeMap() -> SortedMap<Value> {
        var taken = Storage.map(SortedMap())
        swap(&taken, &storage)
        switch taken {
        case .map(let map): return map
        case .packed(let packed): return packed.map
        }
    }

    /// Changes the child at `key` in place: nil before means absent, nil after removes it.
    ///
    /// Inside `body` the child has one reference, so a change copies only what other values share.
    /// `body` must not touch the children.
    @inlinable
    @discardableResult
    public mutating func mutate<R>(_ key: Key, _ body: (inout Value?) -> R) -> R {
        withMap { $0.mutate(key, body) }
    }

    /// Stores a child and returns what was there before.
    @discardableResult
    public mutating func updateValue(_ child: consuming Value, forKey key: Key) -> Value? {
        var map = takeMap()
        let old = map.updateValue(child, forKey: key)
        storage = .map(map)
        return old
    }

    /// Removes the child at `key` and returns it.
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        // A removal that finds nothing leaves packed children as they are.
        if self[key] == nil { return nil }
        return withMap { $0.removeValue(forKey: key) }
    }

    /// Adds other children, which replace those of the same keys.
    ///
    /// - Complexity: as for `SortedMap.merge`.
    public mutating func merge(_ other: Children) {
        if isEmpty {
            self = other
        } else {
            withMap { $0.merge(other.map) }
        }
    }

    /// Packs the children if they can be packed, and gives back memory that was reserved and is not used.
    package mutating func compact() {
        if isPacked { return }
        if let packed = PackedChildren.make(packing: map) {
            storage = .packed(packed)
        } else {
            withMap { $0.trim() }
        }
    }
}

// MARK: - Comparison

extension Children: Equatable {
    /// Whether both have equal children under equal keys.
    public static func == (a: Children, b: Children) -> Bool {
        switch (a.storage, b.storage) {
        case (.map(let x), .map(let y)): x == y
        case (.packed(let x), .packed(let y)): x.isEqual(to: y)
        default: a.count == b.count && a.map == b.map
        }
    }

    /// Whether two are the same memory or the same packed bytes: a cheap test; equal children need not be.
    public func isShared(with other: Children) -> Bool {
        switch (storage, other.storage) {
        case (.map(let x), .map(let y)): x.isShared(with: y)
        case (.packed(let x), .packed(let y)): x.isEqual(to: y)
        default: false
        }
    }

    /// The keys, ascending, under which these and older children differ; `areSame` may take equal
    /// children for different ones.
    ///
    /// - Complexity: O(nodes that the two do not share).
    public func differences(
        from old: Children, areSame: (_ old: Value, _ new: Value) -> Bool
    ) -> [Key] {
        map.differences(from: old.map, areSame: areSame)
    }
}

// MARK: - Packed bytes

extension Children {
    /// Whether these are a few primitives without priorities and placeholders, as which they are kept; false
    /// says nothing.
    public var isPacked: Bool {
        if case .packed = storage { true } else { false }
    }

    /// The size of packed children; nil if they are not packed.
    public var packedByteCount: Int? { withPackedBytes(\.count) }

    /// Calls `body` with the MessagePack map of packed children.
    ///
    /// - Returns: Nil if the children are not packed.
    package func withPackedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard case .packed(let packed) = storage else { return nil }
        return packed.withBytes(body)
    }

    /// The children as they are packed, which never change; nil if they are not.
    package var packed: PackedChildren? {
        if case .packed(let packed) = storage { packed } else { nil }
    }

    /// Children that are packed.
    init(_ packed: PackedChildren) { storage = .packed(packed) }

    /// Takes the bytes of so many children that can be packed, as `PackedChildren` says, without the head of
    /// their map.
    package init(packed bytes: UnsafeRawBufferPointer, count: Int) {
        storage = .packed(PackedChildren.make(count, copying: bytes))
    }

    /// The bounds of packed children.
    package enum PackedLimits {
        /// Children.
        package static var count: Int { PackedChildren.countLimit }
        /// Bytes, the head of the map included.
        package static var bytes: Int { PackedChildren.byteLimit }
        /// Bytes of a key.
        package static var keyBytes: Int { PackedChildren.keyLimit }
    }
}

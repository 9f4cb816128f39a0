/// The data at a location: null, a primitive, or an object. All but null may have a priority.
///
/// Two values are equal only if their bytes are. Strings compare by UTF-8 bytes, never by canonical
/// equivalence. An integer differs from a double, because their texts and encodings differ.
public enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// At least one child; an object without children is null.
    case object(Children)
    /// A value with a priority.
    case prioritized(Prioritized)
    /// A placeholder in written data, resolved by the node that accepts the write.
    case deferred(ServerValue)
}

/// A value that is not null, together with its priority.
public final class Prioritized: Sendable {
    /// The value without its priority.
    public let content: Value
    /// A number or a string (or, in written data, a placeholder for one).
    public let priority: Value

    init(content: Value, priority: Value) {
        self.content = content
        self.priority = priority
    }
}

/// A server value, written by Firebase as `{".sv": …}`.
public enum ServerValue: Equatable, Sendable {
    /// The accepting node's wall time, in milliseconds since 1970.
    case timestamp
    /// The number at the same place before the write, plus this one (an integer or a double).
    case increment(Number)
}

// MARK: - Parts

extension Value {
    /// Whether nothing is there.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value without its priority.
    public var content: Value {
        if case .prioritized(let value) = self { value.content } else { self }
    }

    /// The priority: null, a number or a string.
    public var priority: Value {
        if case .prioritized(let value) = self { value.priority } else { .null }
    }

    /// This value with another priority; null has none.
    public func prioritized(_ priority: Value) -> Value {
        let content = content
        if priority.isNull || content.isNull { return content }
        return .prioritized(Prioritized(content: content, priority: priority))
    }

    /// The children; empty unless this is an object.
    public var children: Children {
        switch self {
        case .object(let children): children
        case .prioritized(let value): value.content.children
        default: Children()
        }
    }

    /// Whether there are children.
    package var hasChildren: Bool {
        switch self {
        case .object: true
        case .prioritized(let value): value.content.hasChildren
        default: false
        }
    }

    /// Whether there is a child at each of these keys, which ascend.
    package func hasChildren(_ keys: [Key]) -> Bool {
        switch self {
        case .object(let children): children.containsAll(keys)
        case .prioritized(let value): value.content.hasChildren(keys)
        default: keys.isEmpty
        }
    }

    /// Whether there is a child at a key.
    package func hasChild(_ key: Key) -> Bool {
        switch self {
        case .object(let children): children.contains(key)
        case .prioritized(let value): value.content.hasChild(key)
        default: false
        }
    }

    /// An object of these children, or null if there are none.
    public init(_ children: Children) {
        self = children.isEmpty ? .null : .object(children)
    }

    /// An object of members whose names are valid keys; null members are left out.
    package static func object(named members: [(String, Value)]) -> Value {
        var children = Children()
        for (name, value) in members where !value.isNull { children[Key(unchecked: name)] = value }
        return Value(children)
    }

    /// Whether this is a boolean, a number, a string or a placeholder, whatever its priority.
    public var isPrimitive: Bool {
        switch content {
        case .null, .object: false
        default: true
        }
    }

    /// The number, if this is one.
    public var number: Number? {
        switch content {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        default: nil
        }
    }
}

// MARK: - Reading and writing below

extension Value {
    /// The value of a child; `.priority` names the priority.
    public subscript(key: Key) -> Value {
        switch self {
        case .object(let children): children[key] ?? .null
        case .prioritized(let value): key == .priority ? value.priority : value.content[key]
        default: .null
        }
    }

    /// The value at a path below.
    public subscript(path: Path) -> Value {
        var value = self
        for key in path.keys {
            if value.isNull { return .null }
            value = value[key]
        }
        return value
    }

    /// Replaces what is at a path below, with Firebase's rules.
    ///
    /// Writing below a primitive replaces it by an object, writing null there changes nothing, and
    /// an object that loses its last child is removed, with its priority.
    public mutating func set(_ value: Value, at path: Path) {
        set(value, at: path.keys[...])
    }

    private mutating func set(_ value: Value, at keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            self = value
            return
        }
        if key == .priority {
            self = prioritized(value)
        } else if value.isNull, children.isEmpty {
            return
        } else {
            mutateChildren { children in
                children.mutate(key) { child in
                    var changed = child.take() ?? .null
                    changed.set(value, at: keys.dropFirst())
                    child = changed.isNull ? nil : changed
                }
            }
        }
    }

    /// Changes the children in place; a primitive gives way to new ones, the priority stays.
    public mutating func mutateChildren(_ body: (inout Children) -> Void) {
        let priority = priority
        if children.isEmpty {
            var added = Children()
            body(&added)
            if !added.isEmpty { self = Value(added).prioritized(priority) }
            return
        }
        // Taken out first, so that `children` holds the only reference.
        var children = take().children
        body(&children)
        self = Value(children).prioritized(priority)
    }

    /// Leaves null behind and returns what was here.
    public mutating func take() -> Value {
        var taken = Value.null
        swap(&taken, &self)
        return taken
    }
}

// MARK: - Equality

extension Value: Equatable {
    /// Whether both are the same value, priorities included.
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let x), .boolean(let y)): x == y
        case (.integer(let x), .integer(let y)): x == y
        // By bits, so that -0 and 0 differ as their hashes do.
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): x.utf16Order(to: y) == .same
        case (.object(let x), .object(let y)): x == y
        case (.prioritized(let x), .prioritized(let y)):
            x === y || (x.content == y.content && x.priority == y.priority)
        case (.deferred(let x), .deferred(let y)): x == y
        default: false
        }
    }
}

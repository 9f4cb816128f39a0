/// Builds a value from the members of an object in import form, in any order; the last of equal
/// keys wins.
///
/// Besides children, an object may hold the reserved members of Firebase's export form:
/// `.value` (a primitive) and `.priority`, or `.sv` alone. Source: `firebase-semantics.md`, section 6.
public struct ObjectBuilder {
    private var children: Children
    private var value: Value = .null
    private var priority: Value = .null
    private var serverValue: Value?

    /// Starts an object; the right number of members, where it is known, saves allocations.
    public init(expectedMembers count: Int = 4) {
        children = Children(minimumCapacity: count)
    }

    /// Adds a member; null adds nothing but overrides an earlier member of the same key.
    ///
    /// - Throws: `DataError` if the key is neither a valid key nor a reserved one.
    public mutating func add(
        _ key: UnsafeBufferPointer<UInt8>, _ member: consuming Value
    ) throws(DataError) {
        guard key.first == UInt8(ascii: ".") else {
            return add(try Key(validating: key), member)
        }
        if key.elementsEqual(".value".utf8) {
            value = member
        } else if key.elementsEqual(".priority".utf8) {
            priority = member
        } else if key.elementsEqual(".sv".utf8) {
            serverValue = member
        } else {
            _ = try Key(validating: key)
        }
    }

    /// Adds a child.
    public mutating func add(_ key: Key, _ child: consuming Value) {
        if child.isNull {
            children.removeValue(forKey: key)
        } else {
            children.updateValue(child, forKey: key)
        }
    }

    /// Adds an element of an array as the child of that number; null leaves a hole.
    ///
    /// Source: `firebase-semantics.md`, rule W9.
    public mutating func addElement(_ index: Int, _ element: consuming Value) {
        add(Key(index: index), element)
    }

    /// The value that the members describe; the builder is empty afterwards.
    ///
    /// - Throws: `DataError` for `.value` or `.sv` beside children, a `.value` that is an object, a
    ///   priority that is neither a number nor a string, or an unknown `.sv`.
    public mutating func finish() throws(DataError) -> Value {
        // Taken out, so that the value alone holds the children and trimming moves them.
        var built = ObjectBuilder(expectedMembers: 0)
        swap(&built, &self)
        return try built.build()
    }

    private mutating func build() throws(DataError) -> Value {
        priority = try ObjectBuilder.checked(priority: priority)
        if let serverValue {
            try expectNoChildren(beside: ".sv")
            guard value.isNull else { throw ServerValue.unknown }
            return .deferred(try ServerValue(serverValue)).prioritized(priority)
        }
        switch value {
        case .null:
            children.compact()
            return Value(children).prioritized(priority)
        case .boolean, .integer, .double, .string, .deferred:
            try expectNoChildren(beside: ".value")
            return value.prioritized(priority)
        case .object, .prioritized:
            throw DataError(
                problem: "\".value\" holds an object",
                fix: "give a string, a number or a boolean as \".value\"")
        }
    }

    private func expectNoChildren(beside member: String) throws(DataError) {
        guard let child = children.first?.key else { return }
        throw DataError(
            problem: "\"\(member)\" stands beside child \"\(child)\"",
            fix: "give either \"\(member)\" or children, not both")
    }

    /// Checks that a value can be a priority.
    public static func checked(priority: Value) throws(DataError) -> Value {
        switch priority {
        case .null, .integer, .double, .string, .deferred: return priority
        case .boolean, .object, .prioritized:
            throw DataError(
                problem: "a priority is neither a number nor a string",
                fix: "give a number or a string as \".priority\", or null for none")
        }
    }
}

extension ServerValue {
    /// Reads what stands behind `.sv`: `"timestamp"`, or an object with `increment` alone.
    init(_ argument: Value) throws(DataError) {
        switch argument {
        case .string("timestamp"):
            self = .timestamp
        case .object(let members) where members.count == 1:
            switch members[ServerValue.incrementKey] {
            case .integer(let delta)?: self = .increment(.integer(delta))
            case .double(let delta)?: self = .increment(.double(delta))
            default: throw ServerValue.unknown
            }
        default:
            throw ServerValue.unknown
        }
    }

    private static let incrementKey = Key(unchecked: "increment")

    fileprivate static let unknown = DataError(
        problem: "unknown server value in \".sv\"",
        fix: "use {\".sv\": \"timestamp\"} or {\".sv\": {\"increment\": 1}}")
}

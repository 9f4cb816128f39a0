/// Builds a value from the members of an object in import form, in any order; the last of equal
/// keys wins.
///
/// Besides children, an object may hold the reserved members of Firebase's export form:
/// `.value` (a primitive) and `.priority`, or `.sv` alone. Source: `firebase-semantics.md`, section 6.
public struct ObjectBuilder {
    private var children = Children()
    private var value: Value = .null
    private var priority: Value = .null
    private var serverValue: Value?

    public init() {}

    /// Adds a member; null adds nothing but overrides an earlier member of the same key.
    ///
    /// - Throws: `DataError` if the key is neither a valid key nor a reserved one.
    public mutating func add(
        _ key: UnsafeBufferPointer<UInt8>, _ member: consuming Value
    ) throws(DataError) {
        guard key.first == UInt8(ascii: ".") else {
            return add(try Key(validating: key), member)
        }
        switch String(decoding: key, as: UTF8.self) {
        case ".value": value = member
        case ".priority": priority = member
        case ".sv": serverValue = member
        default: _ = try Key(validating: key)
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

    /// The value that the members describe.
    ///
    /// - Throws: `DataError` for `.value` beside children, a priority that is neither a number nor a
    ///   string, or an unknown `.sv`.
    public func finish() throws(DataError) -> Value {
        if let serverValue { return try deferred(serverValue) }
        if !value.isNull, !children.isEmpty {
            throw DataError(
                problem: "\".value\" stands beside child \"\(children.first!.key)\"",
                fix: "give either \".value\" or children, not both")
        }
        guard value.isPrimitive || value.isNull else {
            throw DataError(
                problem: "\".value\" holds an object",
                fix: "give a string, a number or a boolean as \".value\"")
        }
        let content = value.isNull ? Value(children) : value
        return content.prioritized(try ObjectBuilder.checked(priority: priority))
    }

    /// Checks that a value can be a priority.
    public static func checked(priority: Value) throws(DataError) -> Value {
        switch priority {
        case .null, .integer, .double, .string, .deferred: return priority
        default:
            throw DataError(
                problem: "a priority is neither a number nor a string",
                fix: "give a number or a string as \".priority\", or null for none")
        }
    }

    private func deferred(_ argument: Value) throws(DataError) -> Value {
        if case .string("timestamp") = argument { return .deferred(.timestamp).prioritized(priority) }
        if let delta = argument[Key(unchecked: "increment")].number, argument.children.count == 1 {
            return .deferred(.increment(delta)).prioritized(priority)
        }
        throw DataError(
            problem: "unknown server value in \".sv\"",
            fix: "use {\".sv\": \"timestamp\"} or {\".sv\": {\"increment\": 1}}")
    }
}

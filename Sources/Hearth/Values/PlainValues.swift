internal import DataTree
internal import Foundation

// Data as Swift's own types, as in Firebase's Swift SDK.

extension Value {
    /// Takes booleans, numbers, strings, dictionaries and arrays of them, and nil or `NSNull` for
    /// nothing; a `Value`, such as a server value, may stand anywhere.
    ///
    /// Dictionaries may be in Firebase's export form; arrays become children 0, 1, 2 ….
    ///
    /// - Throws: `DataError` for a key or a type that cannot be stored, naming where it is.
    /// - Complexity: O(size).
    init(plain: Any?) throws(DataError) {
        self = try Value.convert(plain, at: [])
    }

    /// Takes a value and a priority: a number, a string, or nil for that of the value.
    init(plain: Any?, priority: Any?) throws(DataError) {
        let priority = try ObjectBuilder.checked(priority: try Value(plain: priority))
        self = try Value(plain: plain)
        if !priority.isNull { self = prioritized(priority) }
    }

    private static func convert(_ plain: Any?, at place: [String]) throws(DataError) -> Value {
        switch plain {
        case nil: return .null
        case let value as Value: return value
        case let text as String: return .string(text)
        case let number as NSNumber: return Value(number)
        case let members as [AnyHashable: Any]: return try convert(members, at: place)
        case let elements as [Any?]: return try convert(elements, at: place)
        case is NSNull: return .null
        case let optional as any OptionalValue: return try convert(optional.wrapped, at: place)
        case let text as any StringProtocol: return .string(String(text))
        case .some(let other):
            throw DataError(
                problem: "the value\(description(of: place)) is of the type "
                    + "\(type(of: other)), which cannot be stored",
                fix: "store booleans, numbers, strings, and dictionaries and arrays of them, or "
                    + "write an Encodable value with setValue(from:)")
        }
    }

    private static func convert(
        _ members: [AnyHashable: Any], at place: [String]
    ) throws(DataError) -> Value {
        var object = ObjectBuilder(expectedMembers: members.count)
        for (name, member) in members {
            guard let name = name.base as? String else {
                throw DataError(
                    problem: "the key \(name)\(description(of: place)) is not a string",
                    fix: "use strings as keys")
            }
            let value = try convert(member, at: place + [name])
            try object.add(name, value)
        }
        return try object.finish()
    }

    private static func convert(
        _ elements: [Any?], at place: [String]
    ) throws(DataError) -> Value {
        var object = ObjectBuilder(expectedMembers: elements.count)
        for (index, element) in elements.enumerated() {
            object.addElement(index, try convert(element, at: place + [String(index)]))
        }
        return try object.finish()
    }

    private static func description(of place: [String]) -> String {
        place.isEmpty ? "" : " at " + place.joined(separator: "/")
    }

    /// Takes a number of the system's library, which is also what `true` and `1` become in it.
    private init(_ number: NSNumber) {
        if type(of: number) == Value.booleanType {
            self = .boolean(number.boolValue)
        } else if let integer = Int64(exactly: number) {
            self = .integer(integer)
        } else {
            self = Number.double(number.doubleValue).value
        }
    }

    private static let booleanType = type(of: NSNumber(value: true))
}

/// Sees through an optional whose type is not known.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}

extension ObjectBuilder {
    fileprivate mutating func add(_ name: String, _ member: Value) throws(DataError) {
        var name = name
        let result: Result<Void, DataError> = name.withUTF8 { utf8 in
            Result { () throws(DataError) in try add(utf8, member) }
        }
        try result.get()
    }
}

// MARK: - To Swift's own types

extension Value {
    /// The content without priorities: `NSNumber`, `String`, `[String: Any]`, and `[Any]` where Firebase renders
    /// an array, with `NSNull` for its holes; nil if nothing is here.
    ///
    /// - Complexity: O(size).
    var plain: Any? {
        switch self {
        case .null, .deferred: return nil
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .double(let value): return NSNumber(value: value)
        case .string(let value): return value
        case .prioritized(let value): return value.content.plain
        case .object(let children):
            if let length = children.arrayLength {
                return (0..<length).map { index -> Any in
                    children[DataTree.Key(unchecked: String(index))]?.plain ?? NSNull()
                }
            }
            var members: [String: Any] = [:]
            for (key, child) in children { members[key.text] = child.plain }
            return members
        }
    }

    /// The content with priorities, in Firebase's export form.
    ///
    /// - Complexity: O(size).
    var exported: Any? {
        var members: [String: Any] = [:]
        for (key, child) in children { members[key.text] = child.exported }
        let isObject = !members.isEmpty
        if priority.isNull { return isObject ? members : plain }
        members[".priority"] = priority.plain
        if !isObject { members[".value"] = content.plain }
        return members
    }
}

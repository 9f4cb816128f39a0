public import DataTree

/// What can be written: booleans, numbers, strings, and dictionaries, arrays and optionals of them.
public protocol DataConvertible {
    /// The value as data.
    ///
    /// - Throws: `DataError` for a dictionary with a key that is not allowed in the tree.
    func dataValue() throws(DataError) -> Value
}

extension Value: DataConvertible {
    public func dataValue() -> Value { self }
}

extension Bool: DataConvertible {
    public func dataValue() -> Value { .boolean(self) }
}

extension Int: DataConvertible {
    public func dataValue() -> Value { .integer(Int64(self)) }
}

extension Int64: DataConvertible {
    public func dataValue() -> Value { .integer(self) }
}

extension Double: DataConvertible {
    public func dataValue() -> Value { Number.double(self).value }
}

extension String: DataConvertible {
    public func dataValue() -> Value { .string(self) }
}

extension Optional: DataConvertible where Wrapped: DataConvertible {
    public func dataValue() throws(DataError) -> Value {
        guard let self else { return .null }
        return try self.dataValue()
    }
}

extension Array: DataConvertible where Element: DataConvertible {
    /// An object with the keys 0, 1, 2 …, as in Firebase.
    public func dataValue() throws(DataError) -> Value {
        var object = ObjectBuilder()
        for (index, element) in enumerated() {
            object.add(Key(unchecked: String(index)), try element.dataValue())
        }
        return try object.finish()
    }
}

extension Dictionary: DataConvertible where Key == String, Value: DataConvertible {
    public func dataValue() throws(DataError) -> DataTree.Value {
        var children = Children()
        for (name, member) in self {
            let member = try member.dataValue()
            if !member.isNull { children[try DataTree.Key(name)] = member }
        }
        return DataTree.Value(children)
    }
}

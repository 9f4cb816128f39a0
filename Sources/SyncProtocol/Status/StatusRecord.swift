import DataTree

/// A part of a status, and its form in a value tree.
protocol StatusValue {
    /// Its form; null if it is omitted.
    var told: Value { get }

    /// Decodes the value under a name.
    ///
    /// - Throws: If it is missing or has another form.
    init(told value: Value, under name: String) throws(DataError)
}

/// A struct that is an object in a status; only its table of fields knows their names.
protocol StatusRecord: StatusValue {
    static var fields: [StatusField<Self>] { get }

    init()
}

/// One member of an object, and the property that it tells.
struct StatusField<Record> {
    fileprivate let name: String
    fileprivate let tell: (Record) -> Value
    fileprivate let take: (Value, String, inout Record) throws(DataError) -> Void

    init<Member: StatusValue>(_ name: String, _ member: WritableKeyPath<Record, Member>) {
        self.name = name
        tell = { $0[keyPath: member].told }
        take = { (value, name, record) throws(DataError) in
            record[keyPath: member] = try Member(told: value, under: name)
        }
    }
}

extension StatusRecord {
    var told: Value { .object(named: Self.fields.map { ($0.name, $0.tell(self)) }) }

    init(told value: Value, under name: String) throws(DataError) {
        self.init()
        for field in Self.fields {
            let path = name.isEmpty ? field.name : name + "." + field.name
            try field.take(value[Key(unchecked: field.name)], path, &self)
        }
    }
}

// MARK: - Texts and numbers

extension DataError {
    /// A status without something, or with something else in its place.
    fileprivate init(status name: String, lacks what: String, found value: Value) {
        self.init(
            problem: value.isNull
                ? "the status has no \"\(name)\"" : "\"\(name)\" of the status is no \(what)",
            fix: "use the same version of Hearth on all nodes and here")
    }
}

extension Int: StatusValue {
    var told: Value { .integer(Int64(self)) }

    init(told value: Value, under name: String) throws(DataError) {
        guard case .integer(let number) = value else {
            throw DataError(status: name, lacks: "whole number", found: value)
        }
        self = Int(number)
    }
}

extension String: StatusValue {
    var told: Value { .string(self) }

    init(told value: Value, under name: String) throws(DataError) {
        guard case .string(let text) = value else {
            throw DataError(status: name, lacks: "text", found: value)
        }
        self = text
    }
}

extension Bool: StatusValue {
    var told: Value { .boolean(self) }

    init(told value: Value, under name: String) throws(DataError) {
        guard case .boolean(let truth) = value else {
            throw DataError(status: name, lacks: "truth value", found: value)
        }
        self = truth
    }
}

// MARK: - What may be absent

/// Nil is omitted.
extension Optional: StatusValue where Wrapped: StatusValue {
    var told: Value { self?.told ?? .null }

    init(told value: Value, under name: String) throws(DataError) {
        self = value.isNull ? nil : try Wrapped(told: value, under: name)
    }
}

/// An empty map is omitted, because a tree has no empty objects.
extension Dictionary: StatusValue where Key == String, Value: StatusValue {
    var told: DataTree.Value { .object(named: map { ($0.key, $0.value.told) }) }

    init(told value: DataTree.Value, under name: String) throws(DataError) {
        self.init()
        for (key, member) in value.children {
            self[key.text] = try Value(told: member, under: name + "." + key.text)
        }
    }
}

/// An object with the positions as its keys.
extension Array: StatusValue where Element: StatusValue {
    var told: Value { .object(named: enumerated().map { (String($0.offset), $0.element.told) }) }

    init(told value: Value, under name: String) throws(DataError) {
        self.init()
        for (key, element) in value.children {
            append(try Element(told: element, under: name + "." + key.text))
        }
    }
}

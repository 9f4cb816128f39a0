/// The kind of a value, without the text of a string and the children of an object. Most rules need
/// no more, and packed children stay packed.
package enum ValueOutline: Equatable, Sendable {
    case null
    case boolean
    case number(Double)
    /// A string of so many bytes of UTF-8 and units of UTF-16.
    case string(utf8Count: Int, utf16Count: Int)
    case object
    /// A placeholder in written data.
    case deferred
}

extension Value {
    /// The outline of the value, whatever its priority.
    package var outline: ValueOutline {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer(let number): .number(Double(number))
        case .double(let number): .number(number)
        case .string(let text):
            .string(utf8Count: text.utf8.count, utf16Count: text.utf16.count)
        case .object: .object
        case .prioritized(let value): value.content.outline
        case .deferred: .deferred
        }
    }
}

extension Children {
    /// The outline of the child at a key.
    package func outline(of key: Key) -> ValueOutline {
        switch storage {
        case .map(let map): map[key]?.outline ?? .null
        case .packed(let packed): packed.outline(of: key)
        }
    }

    /// Whether there is a child at each of these keys, which ascend.
    package func containsAll(_ keys: [Key]) -> Bool {
        switch storage {
        case .map(let map): keys.allSatisfy { map[$0] != nil }
        case .packed(let packed): packed.containsAll(keys)
        }
    }
}

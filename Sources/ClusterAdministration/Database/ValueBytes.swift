package import DataTree

extension Value {
    /// The bytes that the value takes on the wire, roughly.
    ///
    /// - Complexity: O(size).
    package var size: Int {
        switch self {
        case .null, .boolean: 1
        case .integer, .double: 9
        case .string(let text): text.utf8.count + 3
        case .object(let children):
            children.reduce(3) { $0 + $1.key.utf8Count + 2 + $1.value.size }
        case .prioritized(let value): value.content.size + value.priority.size + 20
        case .deferred: 20
        }
    }
}

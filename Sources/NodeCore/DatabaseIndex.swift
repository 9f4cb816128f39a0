/// The index of a database in the list of its node: a number that has a meaning in this process only.
public struct DatabaseIndex: Hashable, Comparable, Sendable {
    /// The index of the default database, which each node has.
    public static let `default` = DatabaseIndex(0)

    /// The index of no database, for sessions whose database the node cannot have.
    static let none = DatabaseIndex(-1)

    /// The position in the list.
    public let number: Int

    /// The index with a number, as the node has counted.
    public init(_ number: Int) { self.number = number }

    /// Whether it is the default database.
    public var isDefault: Bool { number == 0 }

    /// Orders databases as their node opened them.
    public static func < (one: DatabaseIndex, other: DatabaseIndex) -> Bool {
        one.number < other.number
    }
}

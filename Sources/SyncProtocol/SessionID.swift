/// One client's connection to this node, numbered by the driver.
public struct SessionID: Hashable, Comparable, Sendable {
    /// The session of operations that a replica makes by itself, without a client.
    public static let none = SessionID(number: 0)

    /// The driver's number, never used twice in an incarnation.
    public let number: UInt64

    /// The session with a number.
    public init(number: UInt64) { self.number = number }

    /// Orders sessions by their numbers.
    public static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

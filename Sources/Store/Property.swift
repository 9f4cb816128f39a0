/// A small fact that a node keeps beside its log.
public struct Property: Equatable, Sendable {
    public enum Name: String, CaseIterable, Sendable {
        /// No stamp above this time was ever promised.
        case clockBound
        /// What this node knows of incarnations that are over by decision: `[member, subject, stage, …]`.
        case evictions
        /// The members of the cluster as its configuration last said, names in ascending order.
        case members
        /// Which vote for the coordinator this node has given last (see `Lease`).
        case vote
    }

    public var name: Name
    /// A number is little-endian, in 8 bytes.
    public var bytes: [UInt8]

    public init(_ name: Name, _ value: UInt64) {
        self.name = name
        bytes = withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    public init(_ name: Name, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The number, if it is one.
    public var number: UInt64? { bytes.count == 8 ? Property.number(of: bytes[...]) : nil }

    private static func number(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

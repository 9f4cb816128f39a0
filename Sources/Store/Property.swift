/// A small fact that a node keeps beside its log.
public struct Property: Equatable, Sendable {
    /// Which fact it is; the raw value is its name on disk.
    public enum Name: String, CaseIterable, Sendable {
        /// A bound above every time that the node has issued or announced.
        case clockBound
        /// A bound above every closed timestamp that the node has announced.
        case closedBound
        /// The parts that this node has yet to recover since it started without its latest disk: a number, absent or 0
        /// if none.
        case diskLoss
        /// The evictions that this node knows of: `[member, subject, stage, …]`.
        case evictions
        /// A time before which the list may have gaps, and the last writers of this node, the latest last.
        case incarnations
        /// The members in the last configuration, names ascending.
        case members
        /// The last incarnations of the peers: `[member, writer, closed timestamp, has served, version, …]`.
        case peerDisks
        /// The last rules that have arrived: `[record, node, …]`.
        case rulesHistory
        /// The last vote of this node for a coordinator (see `Lease`).
        case vote
    }

    /// Which fact it is.
    public var name: Name
    /// The content; a number has 8 bytes, little-endian.
    public var bytes: [UInt8]

    /// A property whose content is a number.
    public init(_ name: Name, _ value: UInt64) {
        self.name = name
        bytes = withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// The `diskLoss` of a disk that is older than the latest one of its node: its operations are kept, while votes,
    /// evictions and announced times may be missing.
    public static let lossOfLatestDisk = Property(.diskLoss, 3)

    /// The bit of a `diskLoss` whose node lacks data, and that of one whose operator has accepted this.
    static let (dataIsLost, lossIsAccepted): (UInt64, UInt64) = (2, 4)

    /// A property with encoded content.
    public init(_ name: Name, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The number, if the content is one.
    public var number: UInt64? { bytes.count == 8 ? Property.number(of: bytes[...]) : nil }

    private static func number(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The envelope of a frame between nodes that concerns a named database: the byte 0xD0, the length of the name, the name, the
/// epoch of the database's placement (4 bytes, little-endian), a byte for the use of the database, and the frame. Frames of the
/// default database have no envelope.
///
/// Nodes of different epochs have different lists of the nodes that hold the database. Each ignores the frames of the other.
///
/// A node without named databases refuses such a frame as one of another protocol version. It must not apply the frame, because
/// the frame's operations belong to another tree. The bytes before the frame can serve as a topic of PUB/SUB.
public struct DatabaseEnvelope: Equatable, Sendable {
    /// The first byte, which is no version of the protocol.
    private static let mark: UInt8 = 0xD0

    /// The use of a database at the sender of a frame.
    public enum Use: UInt8, Sendable {
        /// It has no clients and no work. The frame wakes no database.
        case idle = 0
        /// It has no clients, and the sender does not know that all nodes which it reaches hold the same operations.
        case synchronizing = 1
        /// It has clients, or had some in the last second.
        case used = 2
    }

    /// The database.
    public let name: DatabaseName
    /// The epoch of its placement at the sender.
    public let epoch: UInt32
    /// Its use at the sender.
    public let use: Use
    /// The frame of the database's replica.
    public let frame: [UInt8]

    /// An envelope for a frame.
    public init(_ name: DatabaseName, epoch: UInt32 = 0, _ use: Use, _ frame: [UInt8]) {
        (self.name, self.epoch, self.use, self.frame) = (name, epoch, use, frame)
    }

    /// Whether bytes begin as an envelope does.
    public static func isPresent(in bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// Reads an envelope; nil if the bytes are none, or name no database.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count > 2, bytes[0] == DatabaseEnvelope.mark else { return nil }
        let end = 2 + Int(bytes[1])
        guard bytes.count > end + 5, let use = Use(rawValue: bytes[end + 4]),
            let name = DatabaseName(stored: String(decoding: bytes[2..<end], as: UTF8.self)),
            !name.isDefault
        else { return nil }
        let epoch = bytes[end..<end + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        self.init(name, epoch: epoch, use, Array(bytes[(end + 5)...]))
    }

    /// The envelope as it travels.
    public var bytes: [UInt8] {
        let text = name.text.utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(7 + text.count + frame.count)
        bytes.append(DatabaseEnvelope.mark)
        bytes.append(UInt8(text.count))
        bytes += text
        withUnsafeBytes(of: epoch.littleEndian) { bytes += $0 }
        bytes.append(use.rawValue)
        bytes += frame
        return bytes
    }
}

import DataTree

/// `["writes", id, {origin: sequence, …}]`: which operations the log of the node still holds beyond these, and for whom each was
/// made. Answered by `value` with a `LoggedWrites`, some 256 kB of the log at a time. For administrators.
public struct WritesRequest: Equatable, Sendable {
    /// What is not asked for.
    public var held: VersionVector
}

extension ClientMessage {
    /// A message with a `WritesRequest`.
    public static func writes(id: UInt64, beyond held: VersionVector) -> ClientMessage {
        ClientMessage(id: id, .writes(WritesRequest(held: held)))
    }
}

// MARK: - Bytes

extension WritesRequest: RequestContent {
    static var name: StaticString { "writes" }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(held) }

    init(from reader: inout RequestReader) throws(FrameError) {
        held = try reader.elements.vector()
    }
}

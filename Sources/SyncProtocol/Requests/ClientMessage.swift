public import DataTree

/// A request of a client to a node, with the number that the answer repeats.
///
/// In a frame each is a MessagePack array: the name of the request, the id, its elements, and last, if there are
/// any, a map of options by their names.
public struct ClientMessage: Equatable, Sendable {
    /// Any number that the client has not in use; the answer repeats it.
    public var id: UInt64
    /// The request itself.
    public var request: ClientRequest

    /// A request under a number.
    public init(id: UInt64, _ request: ClientRequest) {
        self.id = id
        self.request = request
    }
}

extension ClientMessage {
    /// The id of a read or a write.
    public var requestID: UInt64? {
        switch request {
        case .get, .children, .put, .merge, .push: id
        default: nil
        }
    }

    /// The stamp of a write of a native client.
    public var stamp: Stamp? { request.stamp }
}

// MARK: - Bytes

extension ClientMessage: FrameMessage {
    /// Appends the request as one MessagePack array.
    public func encode(into writer: inout MessagePackWriter) {
        var encoding = RequestEncoding(id: id)
        // Moved, not copied: two owners of the bytes would make the first append copy them.
        swap(&encoding.writer, &writer)
        request.accept(&encoding)
        swap(&encoding.writer, &writer)
    }

    /// Reads one request.
    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let head = try reader.messageHead()
        for row in ClientRequest.rows where row.name ~= head.name {
            return try row.read(head, &reader)
        }
        throw head.unknown(
            names: ClientRequest.rows.map(\.name.description).joined(separator: ", "))
    }
}

private struct RequestEncoding: RequestVisitor {
    let id: UInt64
    var writer = MessagePackWriter()

    mutating func visit(_ content: some RequestContent) { writer.append(content, id) }
}

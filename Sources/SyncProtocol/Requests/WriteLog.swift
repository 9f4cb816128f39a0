import DataTree

/// `["writes", id, {origin: sequence, …}]`, for administrators: requests the operations beyond these that the
/// node's log still has, with their users. Answered by `value` with a `LoggedWrites`, about 256 kB of the log at a
/// time.
public struct WritesRequest: Equatable, Sendable {
    /// The operations to leave out.
    public var held: VersionVector
}

// MARK: - Bytes

extension WritesRequest: RequestContent {
    static var name: StaticString { "writes" }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(held) }

    init(from reader: inout RequestReader) throws(FrameError) {
        held = try reader.elements.vector()
    }
}

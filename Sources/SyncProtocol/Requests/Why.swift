public import DataTree

/// `["why", id, path, {origin: sequence, …}]`: why a location shows its value: the registers that decide, and the operations
/// there that the log of the node still holds beyond these. Answered by `value` with a `LocationReport`, for some 256 kB of
/// the log at a time. For administrators.
public struct WhyRequest: Equatable, Sendable {
    /// The location.
    public var path: Path
    /// The operations that are not asked for.
    public var held: VersionVector
}

// MARK: - Bytes

extension WhyRequest: RequestContent {
    static var name: StaticString { "why" }
    static var elementCount: Int { 2 }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(held)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.path()
        held = try reader.elements.vector()
    }
}

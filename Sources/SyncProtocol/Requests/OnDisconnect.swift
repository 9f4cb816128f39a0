public import DataTree

/// `["onDisconnect", id, path, value]`: a put that the node does once this connection has ended.
/// Answered by `ok` when the node has noted it.
public struct OnDisconnectRequest: Equatable, Sendable {
    /// Where; the path may end in `.priority`.
    public var path: Path
    /// The new value.
    public var value: Value
}

/// `["onDisconnectMerge", id, path, {relative path: value, …}]`: such puts, each for itself.
public struct OnDisconnectMergeRequest: Equatable, Sendable {
    /// The path to which the paths of the writes are relative.
    public var path: Path
    /// What is written.
    public var writes: [Write]
}

/// `["onDisconnectCancel", id, path]`: takes back what was noted at and below the path.
public struct OnDisconnectCancelRequest: Equatable, Sendable {
    /// Where.
    public var path: Path
}

// MARK: - Bytes

extension OnDisconnectRequest: RequestContent {
    static var name: StaticString { "onDisconnect" }
    static var elementCount: Int { 2 }
    static var kind: RequestKind { .action }

    var rulesCheck: RulesCheck { .write([Write(path: path, value: value)]) }
    var locations: [Path] { [path] }
    var failure: DataError? { Write(path: path, value: value).failureInPriority }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(value)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        let write = try reader.elements.put()
        (path, value) = (write.path, write.value)
    }
}

extension OnDisconnectMergeRequest: RequestContent {
    static var name: StaticString { "onDisconnectMerge" }
    static var elementCount: Int { 2 }
    static var kind: RequestKind { .action }

    var rulesCheck: RulesCheck { .write(writes.below(path)) }
    var locations: [Path] { writes.locations(below: path) }
    var failure: DataError? { writes.failure(inMergeAt: path) }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(merge: writes)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        (path, writes) = try reader.elements.merge()
    }
}

extension OnDisconnectCancelRequest: RequestContent {
    static var name: StaticString { "onDisconnectCancel" }
    static var kind: RequestKind { .action }

    var rulesCheck: RulesCheck { .none }
    var locations: [Path] { [path] }
    var failure: DataError? { path.failureAsLocation }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(path) }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.location()
    }
}

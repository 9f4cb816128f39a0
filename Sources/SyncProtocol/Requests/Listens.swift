public import DataTree
public import QueryEngine

/// `["listen", id, path, options]`: answered by `ok`, then by what the `query` shows, then by a
/// `change` for each operation that alters something of it.
public struct ListenRequest: Equatable, Sendable {
    /// Where.
    public var path: Path
    /// Which children are shown.
    public var query: Query
    /// The options `hash` and `ranges`: what the client holds; then only what differs from that is sent.
    public var held: HeldData?
    /// The option `indexed`. Earlier versions served a listen without it where they refused reads for want of an index.
    public var demandsIndex = false
}

/// `["unlisten", id, listen]`, answered by `ok`.
public struct UnlistenRequest: Equatable, Sendable {
    /// The id of the listen that ends.
    public var listen: UInt64
}

/// The part of a listen's data that a client already holds.
public struct HeldData: Equatable, Sendable {
    /// `hash`: the hash of all of it.
    public let hash: DataHash
    /// `ranges`: the hashes of its parts, worth the bytes where there is much.
    public let ranges: CompoundHash?

    package init(hash: DataHash, ranges: CompoundHash? = nil) {
        self.hash = hash
        self.ranges = ranges
    }
}

// MARK: - Bytes

extension ListenRequest: RequestContent {
    static var name: StaticString { "listen" }
    static var knownOptions: [Options.Name] { [.query, .hash, .ranges, .demandsIndex] }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .duringExecution }
    var locations: [Path] { [path] }
    var failure: DataError? { path.failureAsLocation }

    var options: Options {
        Options(query: query, hash: held?.hash, ranges: held?.ranges, demandsIndex: demandsIndex)
    }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(path) }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.location()
        let start = reader.elements.position
        let options = try reader.options(of: ListenRequest.self)
        if options.ranges != nil, options.hash == nil {
            throw .expected("\"hash\" beside \"ranges\"", found: "none", at: start)
        }
        query = options.query
        demandsIndex = options.demandsIndex
        held = options.hash.map { HeldData(hash: $0, ranges: options.ranges) }
    }
}

extension UnlistenRequest: RequestContent {
    static var name: StaticString { "unlisten" }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .none }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(listen) }

    init(from reader: inout RequestReader) throws(FrameError) {
        listen = try reader.elements.unsigned("the id of a listen")
    }
}

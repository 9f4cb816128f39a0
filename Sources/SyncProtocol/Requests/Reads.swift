public import DataTree
public import QueryEngine

/// `["get", id, path, options]`, answered by `value`: what the `query` shows.
public struct GetRequest: Equatable, Sendable {
    /// Where.
    public var path: Path
    /// Which children are shown.
    public var query: Query
    /// The option `skip`: how many children of the range the answer omits at the end at which the limit begins.
    public var skip = 0

    /// Creates the content of a `get`; by default, the answer has all children.
    public init(path: Path, query: Query = Query(), skip: Int = 0) {
        self.path = path
        self.query = query
        self.skip = skip
    }
}

/// `["children", id, path, options]`, answered by `value` with a `ChildListing`: the keys at the path
/// and what is at each of them, without what is below that.
public struct ChildrenRequest: Equatable, Sendable {
    /// Where.
    public var path: Path
    /// The option `from`: the key to begin with.
    public var from: Key?
    /// The option `limit`: how many keys are listed at most.
    public var limit: Int?
}

// MARK: - Bytes

extension GetRequest: RequestContent {
    static var name: StaticString { "get" }
    static var knownOptions: [Options.Name] { [.query, .skip] }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .read(path, query) }
    var locations: [Path] { [path] }

    var options: Options { Options(query: query, skip: skip) }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(path) }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.path()
        let options = try reader.options(of: GetRequest.self)
        (query, skip) = (options.query, options.skip)
    }
}

extension ChildrenRequest: RequestContent {
    static var name: StaticString { "children" }
    static var knownOptions: [Options.Name] { [.from, .limit] }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .read(path, Query()) }
    var locations: [Path] { [path] }
    var failure: DataError? { path.failureAsLocation }

    var options: Options { Options(from: from, limit: limit) }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(path) }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.location()
        let options = try reader.options(of: ChildrenRequest.self)
        (from, limit) = (options.from, options.limit)
    }
}

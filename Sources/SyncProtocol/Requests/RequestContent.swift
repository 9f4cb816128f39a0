import DataTree
import QueryEngine

/// The elements of a request after its name and id, their form in a frame, and what a node has to know to execute it.
protocol RequestContent: SendableMetatype {
    /// The first element of its array.
    static var name: StaticString { get }
    /// How many elements follow the id, the options not counted.
    static var elementCount: Int { get }
    /// The options that it knows; any other one is refused.
    static var knownOptions: [Options.Name] { get }
    /// The effect.
    static var kind: RequestKind { get }
    /// Whether only a member of the cluster can execute it; writes always need one.
    static var needsMember: Bool { get }

    /// The requirement for users.
    var rulesCheck: RulesCheck { get }
    /// The option `concern`.
    var concern: WriteConcern? { get }
    /// How long the client waits for the concern; nil for the usual time.
    var patienceMilliseconds: UInt64? { get }
    /// The stamp of a write of a native client.
    var stamp: Stamp? { get }
    /// The locations that it reads or writes.
    var locations: [Path] { get }
    /// The first violation of the rules that reading a frame enforces.
    var failure: DataError? { get }

    var options: Options { get }

    /// Appends the elements that follow the id.
    func appendElements(to writer: inout MessagePackWriter)

    /// Takes the elements that follow the id, and the options.
    init(from reader: inout RequestReader) throws(FrameError)
}

extension RequestContent {
    static var knownOptions: [Options.Name] { [] }
    static var elementCount: Int { 1 }
    static var needsMember: Bool { kind == .write }
    var concern: WriteConcern? { nil }
    var patienceMilliseconds: UInt64? { nil }
    var stamp: Stamp? { nil }
    var locations: [Path] { [] }
    var failure: DataError? { nil }
    var options: Options { Options() }
}

/// Reads what follows the id of one request.
struct RequestReader {
    fileprivate let head: MessageHead
    /// Reads the elements, in their order; the options come after all of them.
    var elements: MessagePackReader

    /// Takes the options that the request has, behind its elements.
    mutating func options<Content: RequestContent>(
        of content: Content.Type
    ) throws(FrameError) -> Options {
        try elements.options(of: head, after: 2 + Content.elementCount, Content.knownOptions)
    }
}

extension MessagePackWriter {
    /// Appends a whole request.
    mutating func append<Content: RequestContent>(_ content: Content, _ id: UInt64) {
        guard !Content.knownOptions.isEmpty else {
            return append(content, id, elements: 2 + Content.elementCount)
        }
        let options = content.options
        // Counted once: that compares the query with one that shows everything.
        let optionCount = options.count
        append(content, id, elements: 2 + Content.elementCount + (optionCount == 0 ? 0 : 1))
        append(options, optionCount)
    }

    /// Appends what precedes the options.
    private mutating func append<Content: RequestContent>(
        _ content: Content, _ id: UInt64, elements: Int
    ) {
        appendMessageHead(Content.name, elements)
        append(id)
        content.appendElements(to: &self)
    }

    /// Appends the map of a merge.
    mutating func append(merge writes: [Write]) {
        appendMapHead(writes.count)
        for write in writes {
            append(write.path)
            append(write.value)
        }
    }
}

extension MessagePackReader {
    /// Reads what follows the name of a request.
    mutating func request<Content: RequestContent>(
        _ head: MessageHead, of type: Content.Type
    ) throws(FrameError) -> (id: UInt64, content: Content) {
        try head.require(
            2 + Content.elementCount, optional: Content.knownOptions.isEmpty ? 0 : 1)
        let id = try id()
        var reader = RequestReader(head: head, elements: self)
        let content = try Content(from: &reader)
        self = reader.elements
        return (id, content)
    }

    /// Takes a path and the value that is put there.
    mutating func put() throws(FrameError) -> Write {
        let start = position
        let write = Write(path: try path(), value: try value())
        if let failure = write.failureInPriority { throw .data(failure, at: start) }
        return write
    }

    /// Takes the path of a merge and what it writes below that.
    mutating func merge() throws(FrameError) -> (path: Path, writes: [Write]) {
        let path = try location()
        let start = position
        let count = try mapHead("a map of relative paths to values")
        let writes = try writes(count)
        if let failure = Write.failure(inMerge: writes, at: path) {
            throw .data(failure, at: start)
        }
        return (path, writes)
    }

    mutating func id() throws(FrameError) -> UInt64 {
        try unsigned("an id (an unsigned integer)")
    }

    /// Takes a path that can have something below it, as one that ends in `.priority` cannot.
    mutating func location() throws(FrameError) -> Path {
        let start = position
        let path = try path()
        if path.last == .priority {
            throw .expected("the path of a location", found: "\(path)", at: start)
        }
        return path
    }

    /// Takes so many paths, each with the value that is written there.
    mutating func writes(_ count: Int) throws(FrameError) -> [Write] {
        try elements(count) { reader throws(FrameError) in
            Write(path: try reader.path(), value: try reader.value())
        }
    }
}

public import DataTree

/// `["put", id, path, value, options]`: replaces what is at the path, null removes. Answered by `ok`.
public struct PutRequest: Equatable, Sendable {
    /// Where; the path may end in `.priority`.
    public var path: Path
    /// The new value.
    public var value: Value
    /// The options `if`, `local` and `within`: the put is done only if this holds; otherwise the answer is the
    /// error `changed`.
    public var condition: Condition?
    /// The option `concern`: on how many members it is durable before it is answered, by `acknowledged`.
    public var concern: WriteConcern?
    /// The option `stamp`: it is done once, at whatever nodes it is asked for, see `HelloRequest`. The stamp of a
    /// conditional put is its name alone, and does not say when it is done.
    public var stamp: Stamp?
    /// The option `now` beside `stamp`: the time of the server timestamps in the value, which rules see as `now`.
    public var now: UInt64?
}

/// `["merge", id, path, {relative path: value, …}, options]`: one atomic multi-path update. Answered by `ok`.
public struct MergeRequest: Equatable, Sendable {
    /// The path to which the paths of the writes are relative.
    public var path: Path
    /// The new values; no path is at or below another one.
    public var writes: [Write]
    /// The option `concern`, as of a put.
    public var concern: WriteConcern?
    /// The option `stamp`, as of a put.
    public var stamp: Stamp?
    /// The option `now`, as of a put.
    public var now: UInt64?
}

/// `["push", id, path, value]`: appends a child; the node makes its key. Answered by `pushed`.
public struct PushRequest: Equatable, Sendable {
    /// The parent of the new child.
    public var path: Path
    /// The child.
    public var value: Value
}

/// The condition of a put on the data that it replaces.
public struct Condition: Equatable, Sendable {
    /// `if`: the hash of what has to be there.
    public let hash: DataHash
    /// `local`: whether the node that is asked decides, by what it holds at that moment. Otherwise the
    /// coordinator of the cluster does, and a majority of the nodes holds what it decided before it is
    /// answered.
    ///
    /// Nodes that decide each for itself may let two puts take place on the same data: the one with the
    /// later stamp stays, and the other one is lost.
    public let isLocal: Bool
    /// `within`: after so many milliseconds without a decision the put is refused, by `no_majority` if
    /// nothing was done, and otherwise by `undecided`. Without it, it waits as long as the connection lasts.
    public let patienceMilliseconds: UInt64?

    /// Whether `within` ends once the coordinator may have the put, which then waits for the decision: for clients that take
    /// every error as a sign that nothing was done. Gateways set it; frames have no option for it.
    package let waitsOnceSent: Bool

    package init(
        _ hash: DataHash, isLocal: Bool = false, patienceMilliseconds: UInt64? = nil,
        waitsOnceSent: Bool = false
    ) {
        self.hash = hash
        self.isLocal = isLocal
        self.patienceMilliseconds = patienceMilliseconds
        self.waitsOnceSent = waitsOnceSent
    }
}

// MARK: - Bytes

extension PutRequest: RequestContent {
    static var name: StaticString { "put" }
    static var elementCount: Int { 2 }
    static var knownOptions: [Options.Name] {
        [.condition, .isLocal, .patience, .concern, .stamp, .now]
    }
    static var kind: RequestKind { .write }

    var rulesCheck: RulesCheck { .duringExecution }
    var locations: [Path] { [path] }
    var failure: DataError? { Write(path: path, value: value).failureInPriority }

    var options: Options {
        Options(
            condition: condition?.hash, isLocal: condition?.isLocal ?? false,
            patience: condition?.patienceMilliseconds, concern: concern, stamp: stamp,
            now: now)
    }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(value)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        let write = try reader.elements.put()
        (path, value) = (write.path, write.value)
        let start = reader.elements.position
        let options = try reader.options(of: PutRequest.self)
        if options.condition == nil, options.isLocal || options.patience != nil {
            throw .expected("\"if\" beside \"local\" and \"within\"", found: "none", at: start)
        }
        try options.checkNow(at: start)
        condition = options.condition.map {
            Condition($0, isLocal: options.isLocal, patienceMilliseconds: options.patience)
        }
        (concern, stamp, now) = (options.concern, options.stamp, options.now)
    }
}

extension MergeRequest: RequestContent {
    static var name: StaticString { "merge" }
    static var elementCount: Int { 2 }
    static var knownOptions: [Options.Name] { [.concern, .stamp, .now] }
    static var kind: RequestKind { .write }

    var rulesCheck: RulesCheck { .duringExecution }
    var locations: [Path] { writes.locations(below: path) }
    var failure: DataError? { writes.failure(inMergeAt: path) }

    var options: Options { Options(concern: concern, stamp: stamp, now: now) }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(merge: writes)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        (path, writes) = try reader.elements.merge()
        let start = reader.elements.position
        let options = try reader.options(of: MergeRequest.self)
        try options.checkNow(at: start)
        (concern, stamp, now) = (options.concern, options.stamp, options.now)
    }
}

extension Options {
    /// Refuses a `now` without the stamp of a write: the accepting node's clock decides for all other writes.
    fileprivate func checkNow(at start: Int) throws(FrameError) {
        guard now != nil, stamp == nil || condition != nil else { return }
        throw .expected("\"now\" beside \"stamp\" and without \"if\"", found: "others", at: start)
    }
}

extension PushRequest: RequestContent {
    static var name: StaticString { "push" }
    static var elementCount: Int { 2 }
    static var kind: RequestKind { .write }

    var rulesCheck: RulesCheck { .duringExecution }
    var locations: [Path] { [path] }
    var failure: DataError? { path.failureAsLocation }

    func appendElements(to writer: inout MessagePackWriter) {
        writer.append(path)
        writer.append(value)
    }

    init(from reader: inout RequestReader) throws(FrameError) {
        path = try reader.elements.location()
        value = try reader.elements.value()
    }
}

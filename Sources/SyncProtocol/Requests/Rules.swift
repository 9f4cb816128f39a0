public import DataTree

/// `["rules", id]`, for administrators. Answered by `value`: a map with the `source` of the cluster's rules as
/// their author wrote it, its `digest`, the digest of the `previous` ones, and the `time` of their stamp in
/// milliseconds; null without rules.
public struct RulesRequest: Equatable, Sendable {}

/// `["rulesHistory", id]`, answered by `value` with a `RulesHistoryReport`. For administrators.
public struct RulesHistoryRequest: Equatable, Sendable {}

/// `["setRules", id, source, options]`: gives the cluster other rules. Answered by `ok`, or by the error `invalid`, whose problem
/// has a line `line:column: text` for each fault; by `changed` if the rules are others than `if` says. For administrators.
public struct SetRulesRequest: Equatable, Sendable {
    /// The document.
    public var source: String
    /// The option `if`: the digest of the rules that it replaces, empty for none.
    public var replaced: DataHash?
    /// The option `concern`: on how many members it is durable before it is answered, by `acknowledged`.
    public var concern: WriteConcern?
    /// The option `within`: how many milliseconds it waits for that, 15 minutes at most; as a write without it.
    public var patienceMilliseconds: UInt64?
    /// The option `check`: the document is compiled, and no more.
    public var isCheck = false
}

/// `["explain", id, statement]`: what the rules say of an operation such as `write /users/ada {name: 7} as {uid: "ada"}` on the
/// data of the node. Nothing is done. Answered by `value` with a `RulesVerdict`. For administrators.
public struct ExplainRequest: Equatable, Sendable {
    /// The operation, and the user that would request it.
    public var statement: String
    /// The option `source`: a document that is evaluated in place of the cluster's rules.
    public var source: String?
}

/// `["coverage", id, action]`, for administrators: starts to count the values of each part of the node's rules
/// (`begin`), ends and forgets the counts (`end`), or only returns them (`read`). Answered by `value` with a
/// `CoverageReport`.
public struct CoverageRequest: Equatable, Sendable {
    /// What is done.
    public enum Action: String, CaseIterable, Sendable {
        case read, begin, end
    }

    /// The action before the answer. The answer to `end` contains the final counts.
    public var action: Action
}

/// The answer to `rules`.
public struct RulesReport: Equatable, Sendable {
    /// The document, as its author wrote it.
    public let source: String
    /// The digest of it.
    public let digest: String
    /// The digest of the rules before; empty for the first.
    public let previous: String
    /// When they were accepted, in milliseconds since 1970.
    public let milliseconds: UInt64

    private static let sourceKey = Key(unchecked: "source")
    private static let digestKey = Key(unchecked: "digest")
    private static let previousKey = Key(unchecked: "previous")
    private static let timeKey = Key(unchecked: "time")

    /// The report of a record.
    public init(_ record: RulesRecord) {
        (source, digest, previous) = (record.source, record.digest, record.previous)
        milliseconds = record.stamp.time.milliseconds
    }

    /// Reads an answer; nil without rules.
    public init?(_ value: Value) {
        guard case .string(let source) = value[RulesReport.sourceKey],
            case .string(let digest) = value[RulesReport.digestKey],
            case .string(let previous) = value[RulesReport.previousKey],
            case .integer(let time) = value[RulesReport.timeKey]
        else { return nil }
        (self.source, self.digest, self.previous) = (source, digest, previous)
        milliseconds = UInt64(clamping: time)
    }

    /// The answer.
    public var value: Value {
        var members = Children()
        members[RulesReport.sourceKey] = .string(source)
        members[RulesReport.digestKey] = .string(digest)
        members[RulesReport.previousKey] = .string(previous)
        members[RulesReport.timeKey] = .integer(Int64(clamping: milliseconds))
        return Value(members)
    }
}

/// The answer to `explain`: why an operation is denied, line by line; nothing if it is permitted.
public struct RulesVerdict: Equatable, Sendable {
    /// The missing conditions, then each rule that could have permitted it, with the parts that decided.
    public let reasons: [String]

    /// A verdict.
    public init(reasons: [String]) { self.reasons = reasons }

    /// Reads an answer.
    public init(_ value: Value) {
        reasons = value.children.map { _, line in
            if case .string(let text) = line { text } else { "" }
        }
    }

    /// The answer.
    public var value: Value {
        var lines = Children()
        for (index, reason) in reasons.enumerated() { lines[Key(index: index)] = .string(reason) }
        return Value(lines)
    }
}

// MARK: - Bytes

extension CoverageRequest: RequestContent {
    static var name: StaticString { "coverage" }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(action.rawValue) }

    init(from reader: inout RequestReader) throws(FrameError) {
        let start = reader.elements.position
        let name = try reader.elements.string("read, begin or end (a string)")
        guard let action = Action(rawValue: name) else {
            throw .expected("read, begin or end", found: String(name.prefix(40)), at: start)
        }
        self.action = action
    }
}

extension ExplainRequest: RequestContent {
    static var name: StaticString { "explain" }
    static var knownOptions: [Options.Name] { [.source] }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }
    var options: Options { Options(source: source) }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(statement) }

    init(from reader: inout RequestReader) throws(FrameError) {
        statement = try reader.elements.string("an operation (a string)")
        source = try reader.options(of: ExplainRequest.self).source
    }
}

extension RulesHistoryRequest: RequestContent {
    static var name: StaticString { "rulesHistory" }
    static var elementCount: Int { 0 }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) {}

    init(from reader: inout RequestReader) throws(FrameError) {}
}

extension RulesRequest: RequestContent {
    static var name: StaticString { "rules" }
    static var elementCount: Int { 0 }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) {}

    init(from reader: inout RequestReader) throws(FrameError) {}
}

extension SetRulesRequest: RequestContent {
    static var name: StaticString { "setRules" }
    static var knownOptions: [Options.Name] { [.condition, .concern, .patience, .isCheck] }
    static var kind: RequestKind { .action }
    static var needsMember: Bool { true }

    var rulesCheck: RulesCheck { .administratorsOnly }

    var options: Options {
        Options(
            condition: replaced, isCheck: isCheck, patience: patienceMilliseconds, concern: concern)
    }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(source) }

    init(from reader: inout RequestReader) throws(FrameError) {
        source = try reader.elements.string("a document of rules (a string)")
        let options = try reader.options(of: SetRulesRequest.self)
        (replaced, concern, isCheck) = (options.condition, options.concern, options.isCheck)
        patienceMilliseconds = options.patience
    }
}

public import DataTree

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

/// An operation in the log of a node: what it wrote, where it was taken, and for whom.
public struct LoggedWrite: Equatable, Sendable {
    /// When the node took it, in milliseconds since 1970 by its clock.
    public var milliseconds: UInt64
    /// The incarnation of the node that took it, and how many it had taken then.
    public var origin: WriterID
    /// The number of the operation among those of its origin.
    public var sequence: UInt64
    /// The name of that node, if the incarnation still lives.
    public var member: String?
    /// The user for whom it was made, and the rules by which that was judged; nil of an administrator, and of what the node did
    /// by itself.
    public var attribution: Attribution?
    /// Where it wrote.
    public var paths: [String]
}

/// What `writes` is answered by.
public struct LoggedWrites: Equatable, Sendable {
    /// In about the order in which nodes took them.
    public var writes: [LoggedWrite]
    /// Beyond what to ask for the next ones; nil if these are the last.
    public var next: VersionVector?

    /// The operations of some batches.
    ///
    /// - Parameters:
    ///   - held: What was not asked for.
    ///   - isLast: Whether the log ends with these.
    ///   - members: The names of the nodes that run.
    public init(
        of batches: [Batch], beyond held: VersionVector, isLast: Bool, members: [WriterID: String]
    ) {
        var reached = held
        writes = []
        for batch in batches {
            reached[batch.origin] = max(reached[batch.origin], batch.last)
            for (index, operation) in batch.operations.enumerated() {
                writes.append(
                    LoggedWrite(
                        milliseconds: batch.wallMilliseconds, origin: batch.origin,
                        sequence: batch.first + UInt64(index), member: members[batch.origin],
                        attribution: operation.attribution,
                        paths: operation.writes.map { "\($0.path)" }))
            }
        }
        next = isLast ? nil : reached
    }
}

// MARK: - As a value

extension LoggedWrites {
    fileprivate enum Name {
        static let writes = Key(unchecked: "writes")
        static let next = Key(unchecked: "next")
        static let origin = Key(unchecked: "origin")
        static let sequence = Key(unchecked: "sequence")
        static let time = Key(unchecked: "time")
        static let member = Key(unchecked: "node")
        static let user = Key(unchecked: "user")
        static let rules = Key(unchecked: "rules")
        static let paths = Key(unchecked: "paths")
    }

    /// The answer.
    public var value: Value {
        var members = Children()
        members[Name.writes] = LoggedWrites.list(writes.map(\.value))
        if let next {
            members[Name.next] = LoggedWrites.list(
                next.entries.map { entry in
                    var members = Children()
                    members[Name.origin] = .string(entry.origin.description)
                    members[Name.sequence] = .integer(Int64(clamping: entry.sequence))
                    return Value(members)
                })
        }
        return Value(members)
    }

    /// Reads an answer.
    public init(_ value: Value) {
        writes = value[Name.writes].children.map { LoggedWrite($0.value) }
        guard !value[Name.next].isNull else {
            next = nil
            return
        }
        var next = VersionVector()
        for (_, entry) in value[Name.next].children {
            next[entry[Name.origin].writer] = entry[Name.sequence].unsigned
        }
        self.next = next
    }

    fileprivate static func list(_ values: [Value]) -> Value {
        var members = Children()
        for (index, value) in values.enumerated() { members[Key(index: index)] = value }
        return Value(members)
    }
}

extension LoggedWrite {
    private typealias Name = LoggedWrites.Name

    fileprivate var value: Value {
        var members = Children()
        members[Name.time] = .integer(Int64(clamping: milliseconds))
        members[Name.origin] = .string(origin.description)
        members[Name.sequence] = .integer(Int64(clamping: sequence))
        if let member { members[Name.member] = .string(member) }
        if let user = attribution?.user { members[Name.user] = .string(user) }
        if let attribution { members[Name.rules] = .string(attribution.rules) }
        members[Name.paths] = LoggedWrites.list(paths.map { .string($0) })
        return Value(members)
    }

    fileprivate init(_ value: Value) {
        milliseconds = value[Name.time].unsigned
        origin = value[Name.origin].writer
        sequence = value[Name.sequence].unsigned
        member = value[Name.member].string
        attribution = value[Name.rules].string.map {
            Attribution(user: value[Name.user].string, rules: $0)
        }
        paths = value[Name.paths].children.compactMap(\.value.string)
    }
}

extension Value {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var unsigned: UInt64 {
        if case .integer(let number) = self { UInt64(clamping: number) } else { 0 }
    }

    fileprivate var writer: WriterID {
        WriterID(bits: string.flatMap { UInt64($0, radix: 32) } ?? 0)
    }
}

// MARK: - Bytes

extension WritesRequest: RequestContent {
    static var name: String { "writes" }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(held) }

    init(from reader: inout RequestReader) throws(FrameError) {
        held = try reader.elements.vector()
    }
}

package import DataTree

/// An operation that touches a location: its stamp, its origin, its user, and its writes there.
public struct LocatedOperation: Equatable, Sendable {
    /// A write at the location, above it or below it.
    public struct LocatedWrite: Equatable, Sendable {
        /// Where it wrote.
        public var path = ""
        /// `value`, `object`, `nothing` or `increment`: the part of the written value that concerns the location.
        public var kind = ""
        /// That part as a short text.
        public var text = ""

        /// A write of which nothing is known yet.
        public init() {}
    }

    /// The time of its stamp, in milliseconds since 1970.
    public var milliseconds = 0
    /// The counter of its stamp.
    public var counter = 0
    /// The writer of its stamp, in base 32: a node, or a program that uses the SDK.
    public var writer = ""
    /// The incarnation of the node that accepted it, in base 32.
    public var origin = ""
    /// Its number among the operations of the origin.
    public var sequence = 0
    /// The name of that node, if the incarnation still lives.
    public var member: String?
    /// The `uid` of its user, or the name of its administrator's credential; nil for a node itself, and for a client
    /// that was not signed in.
    public var user: String?
    /// The digest of the rules that permitted it; nil if no rules were evaluated, as for an administrator.
    public var rules: String?
    /// The writes that touch the location.
    public var writes: [LocatedWrite] = []

    /// The name of the administrator's credential; nil for a user, and if there was no credential.
    package var administrator: String? { rules == nil ? user : nil }

    /// An operation of which nothing is known yet.
    public init() {}

    /// The stamp.
    public var stamp: Stamp {
        let time = HybridTime(
            bits: HybridTime(milliseconds: UInt64(clamping: milliseconds)).bits
                | UInt64(clamping: counter) & 0xFFFF)
        return Stamp(time: time, writer: WriterID(bits: UInt64(writer, radix: 32) ?? 0))
    }

    init(_ operation: Operation, _ writes: [Write], at path: Path) {
        milliseconds = Int(clamping: operation.stamp.time.milliseconds)
        counter = Int(operation.stamp.time.bits & 0xFFFF)
        writer = operation.stamp.writer.description
        user = operation.attribution?.user
        rules = operation.attribution?.rules
        self.writes = writes.map { LocatedWrite($0, at: path) }
    }
}

extension LocatedOperation.LocatedWrite {
    fileprivate init(_ write: Write, at path: Path) {
        self.path = "\(write.path)"
        let isAbove = write.path.contains(path)
        let part = isAbove ? write.value[path.relative(to: write.path)] : write.value
        text = part.shortText
        kind =
            switch part.content {
            case .null: "nothing"
            case .object: "object"
            case .deferred: "increment"
            default: "value"
            }
    }
}

extension Value {
    /// The value as a text of at most some 100 characters; an object is only counted.
    ///
    /// - Complexity: O(1).
    package var shortText: String {
        switch content {
        case .null: return "nothing"
        case .object(let children):
            return "an object of \(children.count) \(children.count == 1 ? "child" : "children")"
        case .string(let text) where text.utf8.count > 80:
            return "\"\(text.prefix(60))…\", \(text.utf8.count) bytes"
        case .deferred(.increment(let delta)): return "an increment by \(delta.value)"
        default: return "\(content)"
        }
    }
}

extension LocatedOperation: StatusRecord {
    static var fields: [StatusField<LocatedOperation>] {
        [
            .init("time", \.milliseconds), .init("counter", \.counter), .init("writer", \.writer),
            .init("origin", \.origin), .init("sequence", \.sequence), .init("node", \.member),
            .init("user", \.user), .init("rules", \.rules), .init("writes", \.writes),
        ]
    }
}

extension LocatedOperation.LocatedWrite: StatusRecord {
    static var fields: [StatusField<LocatedOperation.LocatedWrite>] {
        [.init("path", \.path), .init("kind", \.kind), .init("text", \.text)]
    }
}

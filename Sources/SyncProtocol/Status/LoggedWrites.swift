public import DataTree

/// An operation in the log of a node: its writes, the accepting node, and the user.
public struct LoggedWrite: Equatable, Sendable {
    /// When the node took it, in milliseconds since 1970 by its clock.
    public var milliseconds = 0
    /// The incarnation of the node that took it, in base 32.
    public var origin = ""
    /// The number of the operation among those of its origin.
    public var sequence = 0
    /// The name of that node, if the incarnation still lives.
    public var member: String?
    /// The `uid` of the user, or the name of the administrator's credential; nil for an operation of the node itself,
    /// and for a client that was not signed in.
    public var user: String?
    /// The digest of the rules that permitted it; nil if no rules were evaluated, as for an administrator.
    public var rules: String?
    /// Where it wrote.
    public var paths: [String] = []

    /// The name of the administrator's credential; nil for a user, and if there was no credential.
    package var administrator: String? { rules == nil ? user : nil }

    /// A write of which nothing is known yet.
    public init() {}
}

/// The answer to `writes`: a part of the log of a node.
public struct LoggedWrites: Equatable, Sendable {
    /// How much of an origin has been told.
    struct Position: Equatable, Sendable {
        var origin = ""
        var sequence = 0

        /// The positions in a vector.
        static func all(of vector: VersionVector) -> [Position] {
            vector.entries.map {
                Position(origin: $0.origin.description, sequence: Int(clamping: $0.sequence))
            }
        }

        /// The vector of positions.
        static func vector(of positions: [Position]) -> VersionVector {
            var vector = VersionVector()
            for position in positions {
                guard let bits = UInt64(position.origin, radix: 32) else { continue }
                vector[WriterID(bits: bits)] = UInt64(clamping: position.sequence)
            }
            return vector
        }
    }

    /// In about the order in which nodes took them.
    public var writes: [LoggedWrite] = []
    private var positions: [Position] = []

    /// Beyond what to ask for the next ones; nil if these are the last.
    public var next: VersionVector? {
        positions.isEmpty ? nil : Position.vector(of: positions)
    }

    init() {}

    /// Reads an answer.
    ///
    /// - Throws: if the value is none.
    public init(_ value: Value) throws(DataError) { try self.init(told: value, under: "") }

    /// The operations of some batches.
    ///
    /// - Parameters:
    /// - held: The operations to leave out.
    ///   - isLast: Whether the log ends with these.
    ///   - members: The names of the nodes that run.
    public init(
        of batches: [Batch], beyond held: VersionVector, isLast: Bool, members: [WriterID: String]
    ) {
        var reached = held
        for batch in batches {
            reached[batch.origin] = max(reached[batch.origin], batch.last)
            for (index, operation) in batch.operations.enumerated() {
                var write = LoggedWrite()
                write.milliseconds = Int(clamping: batch.wallMilliseconds)
                write.origin = batch.origin.description
                write.sequence = Int(clamping: batch.first) + index
                write.member = members[batch.origin]
                write.user = operation.attribution?.user
                write.rules = operation.attribution?.rules
                write.paths = operation.writes.map { "\($0.path)" }
                writes.append(write)
            }
        }
        positions = isLast ? [] : Position.all(of: reached)
    }

    /// The answer.
    public var value: Value { told }
}

extension LoggedWrites: StatusRecord {
    static var fields: [StatusField<LoggedWrites>] {
        [.init("writes", \.writes), .init("next", \.positions)]
    }
}

extension LoggedWrites.Position: StatusRecord {
    static var fields: [StatusField<LoggedWrites.Position>] {
        [.init("origin", \.origin), .init("sequence", \.sequence)]
    }
}

extension LoggedWrite: StatusRecord {
    static var fields: [StatusField<LoggedWrite>] {
        [
            .init("time", \.milliseconds), .init("origin", \.origin),
            .init("sequence", \.sequence), .init("node", \.member), .init("user", \.user),
            .init("rules", \.rules), .init("paths", \.paths),
        ]
    }
}

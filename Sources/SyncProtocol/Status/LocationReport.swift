public import DataTree

/// The answer to `why`: the state of one location at a node, and a part of the operations there that its log holds.
public struct LocationReport: Equatable, Sendable {
    /// The name of the node.
    public var node = ""
    /// The value that the location shows, as a short text.
    public var shown = ""
    /// Operations with earlier stamps have all arrived; milliseconds since 1970.
    public var stableMilliseconds = 0
    /// From the root down to the location.
    public var registers: [Register] = []
    /// In about the order in which nodes accepted them.
    public var operations: [LocatedOperation] = []
    private var positions: [LoggedWrites.Position] = []

    /// A stamp that a node remembers on the way to the location, since a late operation may need it.
    public struct Register: Equatable, Sendable {
        /// Where it is.
        public var path = ""
        /// The kind of write that left it.
        public var name = ""
        /// The stamp of that write, as text.
        public var stamp = ""

        /// A register of which nothing is known yet.
        public init() {}
    }

    /// The argument for the next part of the log; nil if this is the last one.
    public var next: VersionVector? {
        positions.isEmpty ? nil : LoggedWrites.Position.vector(of: positions)
    }

    /// A report without content.
    public init() {}

    /// Reads an answer.
    ///
    /// - Throws: `DataError` that names a missing or wrong member.
    public init(_ answer: Value) throws(DataError) { try self.init(told: answer, under: "") }

    /// The answer.
    public var value: Value { told }

    /// Adds the operations of a part of the log that touch a location.
    ///
    /// - Parameters:
    ///   - batches: The part of the log.
    ///   - path: The location.
    ///   - held: The operations that were not asked for.
    ///   - isLast: Whether the log ends with this part.
    ///   - members: The names of the nodes that run.
    public mutating func append(
        _ batches: [Batch], at path: Path, beyond held: VersionVector, isLast: Bool,
        members: [WriterID: String]
    ) {
        var reached = held
        for batch in batches {
            reached[batch.origin] = max(reached[batch.origin], batch.last)
            for (index, operation) in batch.operations.enumerated() {
                let writes = operation.writes.filter {
                    $0.path.contains(path) || path.contains($0.path)
                }
                if writes.isEmpty { continue }
                var located = LocatedOperation(operation, writes, at: path)
                located.origin = batch.origin.description
                located.sequence = Int(clamping: batch.first) + index
                located.member = members[batch.origin]
                operations.append(located)
            }
        }
        positions = isLast ? [] : LoggedWrites.Position.all(of: reached)
    }
}

extension LocationReport: StatusRecord {
    static var fields: [StatusField<LocationReport>] {
        [
            .init("node", \.node), .init("shown", \.shown),
            .init("stableMilliseconds", \.stableMilliseconds),
            .init("registers", \.registers), .init("operations", \.operations),
            .init("next", \.positions),
        ]
    }
}

extension LocationReport.Register: StatusRecord {
    static var fields: [StatusField<LocationReport.Register>] {
        [.init("path", \.path), .init("name", \.name), .init("stamp", \.stamp)]
    }
}

package import DataTree

/// Replaces what is at a path by a value; null removes it.
///
/// The value may hold increments. Timestamps have been resolved by the node that accepted the write.
public struct Write: Equatable, Sendable {
    package var path: Path
    package var value: Value

    package init(path: Path, value: Value) {
        self.path = path
        self.value = value
    }
}

extension Write {
    /// Whether it increments a priority: each node would make a different operation of it.
    ///
    /// - Complexity: O(size).
    package var incrementsPriority: Bool {
        path.last == .priority ? value.isIncrement : value.incrementsPriority
    }

    /// The write with one time in place of every server timestamp; increments stay.
    package func resolvingTimestamps(at milliseconds: UInt64) -> Write {
        Write(path: path, value: value.resolvingTimestamps(at: milliseconds))
    }
}

/// One atomic change of the tree: writes at paths of which none contains another.
public struct Operation: Equatable, Sendable {
    package var stamp: Stamp
    package var writes: [Write]
    /// The stamp of the orphaned operation that this one replays; a node executes only one of the two. For a
    /// transaction, the name under which a client may repeat it.
    public var alias: Stamp?
    /// The term of the coordinator that decided a transaction with a name.
    public var term: UInt64?
    /// The user or the administrator; nil for operations of the node itself, and of a client that needed no credential.
    public var attribution: Attribution?
    /// The on-disconnect writes of sessions that it registers, or takes back because it does them.
    package var records: [DisconnectRecord]

    package init(
        stamp: Stamp, writes: [Write], alias: Stamp? = nil, term: UInt64? = nil,
        attribution: Attribution? = nil, records: [DisconnectRecord] = []
    ) {
        self.records = records
        self.term = alias == nil ? nil : term
        self.stamp = stamp
        self.writes = writes
        self.alias = alias
        self.attribution = attribution
    }
}

/// The operations that one node accepted in one turn: the unit that is stored, published and
/// repaired, encoded once.
///
/// Operation `k` of the batch has the sequence `first + k` among all operations of `origin`.
public struct Batch: Equatable, Sendable {
    package var origin: WriterID
    package var first: UInt64
    /// Wall clock of the origin when it accepted the operations, milliseconds since 1970.
    public var wallMilliseconds: UInt64
    /// The operations of other origins that the origin has received since its previous batch. A replica applies the
    /// batch once it holds them, too.
    public var dependencies: VersionVector
    /// At least one.
    public var operations: [Operation]

    package init(
        origin: WriterID, first: UInt64, wallMilliseconds: UInt64, dependencies: VersionVector,
        operations: [Operation]
    ) {
        self.origin = origin
        self.first = first
        self.wallMilliseconds = wallMilliseconds
        self.dependencies = dependencies
        self.operations = operations
    }

    /// The sequence of the last operation.
    public var last: UInt64 { first + UInt64(operations.count) - 1 }
}

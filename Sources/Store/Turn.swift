/// The durable effect of one turn: all of it or nothing.
public struct Turn: Equatable, Sendable {
    /// The turn's number; turns are numbered in order.
    public var number: UInt64
    /// The batches to append to the log.
    public var batches: [LogEntry]
    /// Named values to replace.
    public var properties: [Property]
    /// Whether this turn's batches replay the orphans, so that those can be removed.
    public var clearsOrphans: Bool

    /// A turn with all of its parts.
    public init(
        number: UInt64, batches: [LogEntry], properties: [Property], clearsOrphans: Bool = false
    ) {
        self.number = number
        self.batches = batches
        self.properties = properties
        self.clearsOrphans = clearsOrphans
    }

    /// The size of its batches.
    public var byteCount: Int { batches.reduce(0) { $0 + $1.bytes.count } }
}

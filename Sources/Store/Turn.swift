/// What one turn leaves on disk: all of it or nothing.
public struct Turn: Equatable, Sendable {
    public var number: UInt64
    public var batches: [LogEntry]
    /// Named values to replace.
    public var properties: [Property]
    /// Whether what was orphaned is replayed in this turn's batches, so that it can go.
    public var clearsOrphans: Bool

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

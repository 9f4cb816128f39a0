/// What nodes tell each other. Each is a MessagePack array that begins with its name.
///
/// `batch` and `beat` go to all over PUB/SUB, where anything may be lost; the others go from one
/// DEALER to one ROUTER and back. Source: `replication-protocol.md`, section 3.
public enum PeerMessage: Equatable, Sendable {
    /// `["batch", bytes]`: operations, as stored (see `BatchCoding`).
    case batch([UInt8])
    /// `["beat", cluster, member, writer, vector, promise, [writer, …], wall milliseconds]`.
    case beat(Beat)
    /// `["want", member, origin, from, through]`: asks for operations `from...through` of an origin.
    case want(member: String, origin: WriterID, from: UInt64, through: UInt64)
    /// `["have", origin, [bytes, …]]`: batches of that origin in order, a part of what was wanted.
    case have(origin: WriterID, batches: [[UInt8]])
}

/// A sign of life, four times a second: what its sender holds, and what it will never do again.
public struct Beat: Equatable, Sendable {
    public var cluster: String
    public var member: String
    public var writer: WriterID
    /// What the sender holds durably.
    public var vector: Vector
    /// The sender will never again issue a stamp of this time or an earlier one.
    public var promise: HybridTime
    /// Who the sender takes for the writers of the members that it has heard, itself included;
    /// ascending. Of any other writer it takes no more than what some member's beat shows.
    public var writers: [WriterID]
    public var wallMilliseconds: UInt64

    public init(
        cluster: String, member: String, writer: WriterID, vector: Vector, promise: HybridTime,
        writers: [WriterID], wallMilliseconds: UInt64
    ) {
        self.cluster = cluster
        self.member = member
        self.writer = writer
        self.vector = vector
        self.promise = promise
        self.writers = writers
        self.wallMilliseconds = wallMilliseconds
    }
}

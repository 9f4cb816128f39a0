public import DataTree

/// A message between nodes: a MessagePack array that begins with its name.
///
/// `batch` and `heartbeat` go to all over PUB/SUB, where anything may be lost; the others go from one
/// DEALER to one ROUTER and back. Source: `replication-protocol.md`, section 3.
public enum PeerMessage: Equatable, Sendable {
    /// `["batch", bytes]`: operations, as stored (see `BatchCoding`).
    case batch([UInt8])
    /// `["heartbeat", cluster, member, writer, vector, time, closed timestamp, [writer, …],
    /// [member, subject, stage, …], wall milliseconds, vote, folding]` (see `Lease`, `Folding`).
    case heartbeat(Heartbeat)
    /// `["requestBatches", member, origin, from, through]`: requests operations `from...through` of an origin.
    case requestBatches(member: String, origin: WriterID, from: UInt64, through: UInt64)
    /// `["batches", origin, [bytes, …]]`: batches of that origin in order, a part of the range requested.
    case batches(origin: WriterID, batches: [[UInt8]])
    /// `["compacted", origin, through]`: the sender has the operations requested, up to `through`, only in its
    /// checkpoint.
    case compacted(origin: WriterID, through: UInt64)
    /// `["requestCheckpoint", member, checkpoint, after]`: requests the rows of a checkpoint after a row;
    /// `checkpoint` is the highest row of the checkpoint whose rows the sender has, or 0.
    case requestCheckpoint(member: String, checkpoint: UInt64, after: UInt64)
    /// `["checkpointChunk", head, after, [id, bytes, …], is last, evictions]`: rows of a checkpoint in order of their
    /// IDs, and the evictions that the sender knows.
    case checkpointChunk(CheckpointChunk, evictions: [Eviction])
    /// `["hello", bytes]`: the first message of a node to each peer, repeated until the peer answers with `welcome` or
    /// `refuse`. The bytes are `[cluster, member, writer, endpoint, oldest version, newest version,
    /// [member, endpoint, …]]`, and a checksum: a node that is refused ends, so they must be intact.
    case hello(Hello)
    /// `["welcome", member, writer, version]`: both go on in this version of the protocol. The writer is that of the
    /// `hello`: another process that has taken over the name would receive the answer, too.
    case welcome(member: String, to: WriterID, version: UInt64)
    /// `["refuse", member, writer, problem, fix]`: the process that said `hello` as this writer is not the member that
    /// it claims to be.
    case refuse(member: String, to: WriterID, problem: String, fix: String)
    /// `["requestHeartbeat"]`: a client of the sender waits until the batch just published is durable elsewhere; the
    /// receiver sends a heartbeat as soon as it is.
    case requestHeartbeat
    /// `["bye", cluster, member, writer, time]`: the sender ends, so that peers need not wait for it; it has stamped
    /// nothing later than the time.
    case bye(cluster: String, member: String, writer: WriterID, time: HybridTime)
    /// `["propose", member, coordinator, {origin: sequence, …}, [id, path, value, hash, concern, …]]`:
    /// transactions for the coordinator to decide; sent again, under the same ids, until they are answered.
    case propose(Proposals)
    /// `["decided", [id, outcome, problem, fix, {origin: sequence, …}, …]]`: the coordinator's
    /// verdicts on them.
    case decided([TransactionDecision])
    /// `["disk", member, writer, floor, is whole]`: a node's statement about its disk.
    case disk(DiskStatement)
    /// `["remembered", member, writer, addressee, stated floor, stated whole, predecessor, sequence, closed,
    /// stable, has served, is whole]`: the answer, with the sender's memory of the addressee's earlier incarnations.
    case remembered(DiskMemory)
    /// `["comparison", cluster, member, writer, leader, number, step, content]`, published by each member of a comparison of
    /// trees. The content of the step `begin` is nil, that of `join` and `agree` a vector, and that of `announce`
    /// `[word, word, digest of a vector]`. Nodes of version 0.4 count and ignore it.
    case comparison(TreeComparison)
    /// `["requestStatus", member]`: requests the status of the receiver, for a page of the console at the sender.
    case requestStatus(member: String)
    /// `["status", member, status]`: the answer, a `NodeStatus`.
    case status(member: String, status: Value)
}

/// The identity that a node claims.
public struct Hello: Equatable, Sendable {
    package var cluster: String
    package var member: String
    package var writer: WriterID
    /// The endpoint at which it publishes, which no two nodes share.
    public var endpoint: String
    package var oldestVersion: UInt64
    package var newestVersion: UInt64
    /// All members of the cluster, this one included, ascending by name: nodes with different lists would wait for
    /// different members, and count different majorities.
    public var members: [Member]

    /// A member, and the endpoint at which it publishes.
    public struct Member: Equatable, Sendable {
        package var name: String
        package var endpoint: String

        package init(_ name: String, at endpoint: String) {
            self.name = name
            self.endpoint = endpoint
        }
    }

    package init(
        cluster: String, member: String, writer: WriterID, endpoint: String, members: [Member],
        oldestVersion: UInt64 = UInt64(protocolVersion),
        newestVersion: UInt64 = UInt64(protocolVersion)
    ) {
        self.members = members
        self.cluster = cluster
        self.member = member
        self.writer = writer
        self.endpoint = endpoint
        self.oldestVersion = oldestVersion
        self.newestVersion = newestVersion
    }
}

/// One piece of a checkpoint, in bytes that end with a checksum. A row is never changed, only removed.
public struct CheckpointRow: Equatable, Sendable {
    package let id: UInt64
    package let bytes: [UInt8]

    package init(id: UInt64, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// Some rows of a checkpoint, on their way to another member.
public struct CheckpointChunk: Equatable, Sendable {
    /// The head of the checkpoint; empty if there is none.
    public var head: [UInt8]
    /// The ID of the row before the first one.
    public var after: UInt64
    package var rows: [CheckpointRow]
    package var isLast: Bool

    package init(head: [UInt8], after: UInt64, rows: [CheckpointRow], isLast: Bool) {
        self.head = head
        self.after = after
        self.rows = rows
        self.isLast = isLast
    }
}

/// A heartbeat, published four times a second: the node's durable operations, and a closed timestamp.
public struct Heartbeat: Equatable, Sendable {
    package var cluster: String
    package var member: String
    package var writer: WriterID
    /// The operations that the sender holds durably.
    public var vector: VersionVector
    /// The sender's clock; it ascends from heartbeat to heartbeat, even from one incarnation to the next.
    public var time: HybridTime
    /// The sender will never again make an operation with a stamp of this time or an earlier one. It
    /// lags the clock, because clients that come from other nodes bring stamps with them.
    public var closedTimestamp: HybridTime
    /// The current writers of the members that the sender has heard from, itself included; ascending. The sender
    /// accepts only those operations of other writers that some member's heartbeat shows.
    public var writers: [WriterID]
    /// The evictions that the sender knows durably.
    public var evictions: [Eviction]
    package var wallMilliseconds: UInt64
    /// The sender's vote for the coordinator, as it is durable.
    public var lease: Lease?
    /// The origins that the sender has folded, if there are any.
    public var folding: Folding?

    /// Which origins a sender has folded, and whether its vector comes without them.
    public struct Folding: Hashable, Sendable {
        package var origins: FoldedOrigins.Digest
        package var areLeftOut: Bool

        package init(_ origins: FoldedOrigins.Digest, areLeftOut: Bool) {
            self.origins = origins
            self.areLeftOut = areLeftOut
        }
    }

    package init(
        cluster: String, member: String, writer: WriterID, vector: VersionVector, time: HybridTime,
        closedTimestamp: HybridTime, writers: [WriterID], evictions: [Eviction] = [],
        wallMilliseconds: UInt64, lease: Lease? = nil, folding: Folding? = nil
    ) {
        self.lease = lease
        self.folding = folding
        self.cluster = cluster
        self.member = member
        self.writer = writer
        self.vector = vector
        self.time = time
        self.closedTimestamp = closedTimestamp
        self.writers = writers
        self.evictions = evictions
        self.wallMilliseconds = wallMilliseconds
    }
}

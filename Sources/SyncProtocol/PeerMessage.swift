/// What nodes tell each other. Each is a MessagePack array that begins with its name.
///
/// `batch` and `heartbeat` go to all over PUB/SUB, where anything may be lost; the others go from one
/// DEALER to one ROUTER and back. Source: `replication-protocol.md`, section 3.
public enum PeerMessage: Equatable, Sendable {
    /// `["batch", bytes]`: operations, as stored (see `BatchCoding`).
    case batch([UInt8])
    /// `["heartbeat", cluster, member, writer, vector, time, closed timestamp, [writer, …],
    /// [member, writer, stage, …], wall milliseconds, vote]` (see `Lease`).
    case heartbeat(Heartbeat)
    /// `["requestBatches", member, origin, from, through]`: asks for operations `from...through` of an origin.
    case requestBatches(member: String, origin: WriterID, from: UInt64, through: UInt64)
    /// `["batches", origin, [bytes, …]]`: batches of that origin in order, a part of what was wanted.
    case batches(origin: WriterID, batches: [[UInt8]])
    /// `["compacted", origin, through]`: the sender has the wanted operations, up to `through`, in its
    /// checkpoint alone.
    case compacted(origin: WriterID, through: UInt64)
    /// `["requestCheckpoint", member, checkpoint, after]`: asks for the rows of a checkpoint that come after one;
    /// `checkpoint` is the highest row of the checkpoint whose rows the sender has, or 0.
    case requestCheckpoint(member: String, checkpoint: UInt64, after: UInt64)
    /// `["checkpointChunk", head, after, [id, bytes, …], is last]`: rows of a checkpoint in order of their IDs.
    case checkpointChunk(CheckpointChunk)
    /// `["hello", bytes]`: what a node says first to each peer, and again until it is answered by
    /// `welcome` or `refuse`. The bytes are `[cluster, member, writer, endpoint, oldest version,
    /// newest version, [member, endpoint, …]]`, and a checksum: who they are not meant for ends.
    case hello(Hello)
    /// `["welcome", member, writer, version]`: both go on in this version of the protocol. The writer is
    /// that of the `hello`: who has taken its name over gets what is sent to it.
    case welcome(member: String, to: WriterID, version: UInt64)
    /// `["refuse", member, writer, problem, fix]`: who said `hello` as this writer is no member, as it
    /// says it is.
    case refuse(member: String, to: WriterID, problem: String, fix: String)
    /// `["requestHeartbeat"]`: somebody waits until what the sender has just published is durable elsewhere; the
    /// receiver's next heartbeat comes as soon as it is.
    case requestHeartbeat
    /// `["bye", cluster, member, writer, time]`: the sender ends, and nobody need wait for it; it has stamped
    /// nothing later than the time.
    case bye(cluster: String, member: String, writer: WriterID, time: HybridTime)
    /// `["propose", member, coordinator, {origin: sequence, …}, [id, path, value, hash, concern, …]]`:
    /// transactions for the coordinator to decide; sent again, under the same ids, until they are answered.
    case propose(Proposals)
    /// `["decided", [id, outcome, problem, fix, {origin: sequence, …}, …]]`: what the coordinator has
    /// decided of them.
    case decided([Verdict])
}

/// An incarnation of a member that is to be over by decision, and what has come of that.
public struct Eviction: Hashable, Sendable {
    /// How many a node remembers: all of them, as such an incarnation may come back at any time.
    public static let limit = 1_000

    /// Of what two nodes know, the later stage is true.
    public enum Stage: UInt64, CaseIterable, Comparable, Sendable {
        /// Somebody wants it.
        case wanted
        /// More than half of all members want it: the incarnation is over, and nobody waits for the member.
        case out
        /// The member lives again, as another writer, and may have to do again what it alone had.
        case back
        /// It has done that.
        case over

        public static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
    }

    public var member: String
    public var writer: WriterID
    public var stage: Stage

    public init(member: String, writer: WriterID, stage: Stage = .wanted) {
        self.member = member
        self.writer = writer
        self.stage = stage
    }
}

/// Who a node says it is.
public struct Hello: Equatable, Sendable {
    public var cluster: String
    public var member: String
    public var writer: WriterID
    /// Where it publishes: no two nodes can be there.
    public var endpoint: String
    public var oldestVersion: UInt64
    public var newestVersion: UInt64
    /// All members of the cluster, this one included, ascending by name: nodes that differ in that would
    /// not wait for the same ones, nor count the same majorities.
    public var members: [Member]

    /// A member, and where it publishes.
    public struct Member: Equatable, Sendable {
        public var name: String
        public var endpoint: String

        public init(_ name: String, at endpoint: String) {
            self.name = name
            self.endpoint = endpoint
        }
    }

    public init(
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

/// One piece of a checkpoint, in bytes that end with a checksum. What is written once is never
/// changed, only taken away.
public struct CheckpointRow: Equatable, Sendable {
    public let id: UInt64
    public let bytes: [UInt8]

    public init(id: UInt64, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// Some rows of a checkpoint, on their way to another member.
public struct CheckpointChunk: Equatable, Sendable {
    /// What the checkpoint says of itself; empty if there is none.
    public var head: [UInt8]
    /// The rows are those that come after this one.
    public var after: UInt64
    public var rows: [CheckpointRow]
    public var isLast: Bool

    public init(head: [UInt8], after: UInt64, rows: [CheckpointRow], isLast: Bool) {
        self.head = head
        self.after = after
        self.rows = rows
        self.isLast = isLast
    }
}

/// A sign of life, four times a second: what its sender holds, and what it will never do again.
public struct Heartbeat: Equatable, Sendable {
    public var cluster: String
    public var member: String
    public var writer: WriterID
    /// What the sender holds durably.
    public var vector: VersionVector
    /// The sender's clock; it ascends from heartbeat to heartbeat, also from one incarnation of a member to the next.
    public var time: HybridTime
    /// The sender will never again make an operation with a stamp of this time or an earlier one. It
    /// lags the clock, because clients that come from other nodes bring stamps with them.
    public var closedTimestamp: HybridTime
    /// Who the sender takes for the writers of the members that it has heard, itself included;
    /// ascending. Of any other writer it takes no more than what some member's heartbeat shows.
    public var writers: [WriterID]
    /// What the sender knows durably of incarnations that are over by decision.
    public var evictions: [Eviction]
    public var wallMilliseconds: UInt64
    /// The sender's vote for the coordinator, as it is durable.
    public var lease: Lease?

    public init(
        cluster: String, member: String, writer: WriterID, vector: VersionVector, time: HybridTime,
        closedTimestamp: HybridTime, writers: [WriterID], evictions: [Eviction] = [],
        wallMilliseconds: UInt64, lease: Lease? = nil
    ) {
        self.lease = lease
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

public import DataTree
public import QueryEngine

/// What a client asks of a node. Each is a MessagePack array that begins with its name.
///
/// `id` is any number that the client has not in use; the answer repeats it. What is optional stands
/// last, in a map of `options` by their names.
public enum ClientMessage: Equatable, Sendable {
    /// `["get", id, path, options]`, answered by `value`: what the `query` shows.
    case get(id: UInt64, path: Path, query: Query = Query())
    /// `["children", id, path, options]`, answered by `value` with a `ChildListing`: the keys at the path
    /// and what is at each of them, without what is below that. With the option `from` it begins at that
    /// key, and with `limit` it has so many keys at most.
    case children(id: UInt64, path: Path, from: Key? = nil, limit: Int? = nil)
    /// `["put", id, path, value, options]`: replaces what is at the path, null removes. Answered by
    /// `ok`. With the option `if` it is done only if what is there has this hash; otherwise the answer
    /// is the error `changed`: see `Condition`. With the option `concern` it is answered by `acknowledged`. With the
    /// option `stamp` it is done once, at whatever nodes it is asked for: see `hello`; of a conditional put
    /// the stamp is its name alone, and does not say when it is done.
    case put(
        id: UInt64, path: Path, value: Value, condition: Condition? = nil,
        concern: WriteConcern? = nil, stamp: Stamp? = nil)
    /// `["merge", id, path, {relative path: value, …}, options]`: one atomic multi-path update.
    /// Answered by `ok`, or with the option `concern` by `acknowledged`; `stamp` as above.
    case merge(
        id: UInt64, path: Path, writes: [Write], concern: WriteConcern? = nil,
        stamp: Stamp? = nil)
    /// `["push", id, path, value]`: appends a child; the node makes its key. Answered by `pushed`.
    case push(id: UInt64, path: Path, value: Value)
    /// `["listen", id, path, options]`: answered by `ok`, then by what the `query` shows, then by a
    /// `change` for each operation that alters something of it.
    ///
    /// The client may tell what it holds: then only what differs from that is sent.
    case listen(id: UInt64, path: Path, query: Query = Query(), held: HeldData? = nil)
    /// `["unlisten", id, listen]`, where `listen` is the id of the listen. Answered by `ok`.
    case unlisten(id: UInt64, listen: UInt64)
    /// `["onDisconnect", id, path, value]`: a put that the node does once this connection has ended.
    /// Answered by `ok` when the node has noted it.
    case onDisconnect(id: UInt64, path: Path, value: Value)
    /// `["onDisconnectMerge", id, path, {relative path: value, …}]`: puts as above, each for itself.
    case onDisconnectMerge(id: UInt64, path: Path, writes: [Write])
    /// `["onDisconnectCancel", id, path]`: takes back what was noted at and below the path.
    case onDisconnectCancel(id: UInt64, path: Path)
    /// `["backup", id, name]`: has the node write a copy of its database, a file of that name. Answered
    /// by `value` with its path.
    case backup(id: UInt64, name: String)
    /// `["evict", id, member]`: has the cluster go on without a member. Answered by `ok` once this node votes
    /// for it, or by the error `unavailable` where it does not reach more than half of all, which have to.
    case evict(id: UInt64, member: String)
    /// `["awaitStable", id, milliseconds]`: answered by `ok` once nothing can come any more that was written
    /// before, at whatever node, and could change what is there; or, after so long, by the error
    /// `not stable`, which names who is waited for.
    case awaitStable(id: UInt64, milliseconds: UInt64)
    /// `["ping", id]`, answered by `value` with the node's wall clock, in milliseconds since 1970:
    /// tells that the connection lives.
    case ping(id: UInt64)
    /// `["hello", id, {origin: sequence, …}]`: begins a session, or goes on with the one that the client
    /// had at another node, where it has seen so much. Answered by `ready` once this node holds all of
    /// that, or by the error `behind`. From then on frames end with `seen`. After the refusal of a stamp
    /// no other one is taken before the next hello.
    case hello(id: UInt64, seen: VersionVector)
    /// `["status", id]`, answered by `value` with what `hearth cluster status` shows.
    case status(id: UInt64)
}

extension ClientMessage {
    /// The id of a read or a write.
    public var requestID: UInt64? {
        switch self {
        case .get(let id, _, _), .children(let id, _, _, _), .put(let id, _, _, _, _, _),
            .merge(let id, _, _, _, _), .push(let id, _, _):
            id
        default: nil
        }
    }

    /// The stamp of a write of a native client.
    public var stamp: Stamp? {
        switch self {
        case .put(_, _, _, _, _, let stamp), .merge(_, _, _, _, let stamp): stamp
        default: nil
        }
    }
}

/// What a put requires of the data that it replaces.
public struct Condition: Equatable, Sendable {
    /// `if`: the hash of what has to be there.
    public let hash: DataHash
    /// `local`: whether the node that is asked decides, by what it holds at that moment. Otherwise the
    /// coordinator of the cluster does, and a majority of the nodes holds what it decided before it is
    /// answered.
    ///
    /// Nodes that decide each for itself may let two puts take place on the same data: the one with the
    /// later stamp stays, and the other one is lost.
    public let isLocal: Bool
    /// `within`: after so many milliseconds without a decision the put is refused, by `no_majority` if
    /// nothing was done, and otherwise by `undecided`. Without it, it waits as long as the connection lasts.
    public let patienceMilliseconds: UInt64?

    public init(_ hash: DataHash, isLocal: Bool = false, patienceMilliseconds: UInt64? = nil) {
        self.hash = hash
        self.isLocal = isLocal
        self.patienceMilliseconds = patienceMilliseconds
    }
}

/// On how many members a write is durable.
public enum WriteConcern: String, CaseIterable, Comparable, Sendable {
    /// On the node that accepted it.
    case local
    /// On more than half of the members.
    case majority
    case all

    private var rank: Int {
        switch self {
        case .local: 0
        case .majority: 1
        case .all: 2
        }
    }

    public static func < (a: WriteConcern, b: WriteConcern) -> Bool { a.rank < b.rank }
}

/// What a client holds already of what it listens to.
public struct HeldData: Equatable, Sendable {
    /// `hash`: the hash of all of it.
    public let hash: DataHash
    /// `ranges`: the hashes of its parts, worth the bytes where there is much.
    public let ranges: CompoundHash?

    public init(hash: DataHash, ranges: CompoundHash? = nil) {
        self.hash = hash
        self.ranges = ranges
    }
}

/// A part of what is listened to that differs from what the client holds.
public struct ChangedRange: Equatable, Sendable {
    public let range: LeafRange
    /// What is there instead of all leaves of the range.
    public let writes: [Write]

    public init(_ range: LeafRange, writes: [Write]) {
        self.range = range
        self.writes = writes
    }
}

/// What a node tells a client.
public enum NodeMessage: Equatable, Sendable {
    /// `["ok", id]`: done, and durable as the node's durability mode closed timestamps.
    case ok(id: UInt64)
    /// `["met", id, concern]`: done, and as durable as this says: what was asked for, or less if that
    /// was not reached in time.
    case acknowledged(id: UInt64, concern: WriteConcern)
    /// `["pushed", id, key]`: done, under this new key.
    case pushed(id: UInt64, key: Key)
    /// `["value", id, value]`, priorities in export form.
    case value(id: UInt64, value: Value)
    /// `["change", listen, [[relative path, value], …]]`: what one operation changed, applied
    /// together and in order. The first one of a listen, and each one at the empty path, is all that
    /// the listen shows; a first one without writes says that the client holds exactly that.
    case change(listen: UInt64, writes: [Write])
    /// `["ranges", listen, [[after, through, [[relative path, value], …]], …]]`: the first answer of a
    /// listen for a client that holds the rest; all leaves of each range give way to the writes.
    case ranges(listen: UInt64, ranges: [ChangedRange])
    /// `["ready", id, member, wall milliseconds, time, {origin: sequence, …}]`: the answer to `hello`,
    /// with the node's clocks and all that it holds.
    case ready(
        id: UInt64, member: String, wallMilliseconds: UInt64, time: HybridTime, holds: VersionVector
    )
    /// `["seen", time, {origin: sequence, …}]`: what the frame shows: nothing newer than the time, and
    /// more of these origins than was told before.
    case seen(time: HybridTime, holds: VersionVector)
    /// `["error", id, code, problem, fix]`: nothing was done.
    case error(id: UInt64, code: ErrorCode, problem: String, fix: String)
    /// `["ended", listen, code, problem, fix]`: the node ended this listen.
    case ended(listen: UInt64, code: ErrorCode, problem: String, fix: String)
}

/// Why a node did not do what it was asked.
public enum ErrorCode: String, Sendable, CaseIterable {
    /// The request itself is wrong: a path, a value, a name.
    case invalid
    /// The node speaks another protocol version.
    case version
    /// The node does not take this now (it stops, starts, or its disk refuses); another may.
    case unavailable
    /// A limit of the node is reached.
    case tooBig = "too_big"
    /// What is there is not what the condition of the write says.
    case changed
    /// Nobody has done what has this stamp, and nobody will: it may be asked for with a new one.
    case late
    /// This node has not done what has this stamp, and cannot know yet whether another one has: ask
    /// again, with the same stamp.
    case undecided
    /// The node does not hold what the client has seen elsewhere.
    case behind
    /// What was written before may still change.
    case notStable = "not_stable"
    /// No coordinator could be reached, which needs a majority of the nodes; nothing was done.
    case noMajority = "no_majority"
}

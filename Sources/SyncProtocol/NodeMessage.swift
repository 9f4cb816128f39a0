public import DataTree

/// A part of what is listened to that differs from what the client holds.
public struct ChangedRange: Equatable, Sendable {
    package let range: LeafRange
    /// The writes that replace all leaves of the range.
    public let writes: [Write]

    package init(_ range: LeafRange, writes: [Write]) {
        self.range = range
        self.writes = writes
    }
}

extension ChangedRange {
    /// The content of the range as one value; nil if it contains a priority without the rest of its location, which
    /// a value cannot express.
    public var value: Value? {
        var value = Value.null
        // An object must be there before it can have a priority.
        for write in writes where write.path.last != .priority {
            value.set(write.value, at: write.path)
        }
        for write in writes where write.path.last == .priority {
            guard let location = write.path.parent, !value[location].isNull else { return nil }
            value.set(write.value, at: write.path)
        }
        return value
    }
}

/// A message of a node to a client.
public enum NodeMessage: Equatable, Sendable {
    /// `["ok", id]`: done, and durable as the node's durability mode promises.
    case ok(id: UInt64)
    /// `["met", id, concern]`: done, and as durable as this says: what was asked for, or less if that
    /// was not reached in time.
    case acknowledged(id: UInt64, concern: WriteConcern)
    /// `["pushed", id, key]`: done, under this new key.
    case pushed(id: UInt64, key: Key)
    /// `["value", id, value]`, priorities in export form.
    case value(id: UInt64, value: Value)
    /// `["unindexed", listen]`, before the `ok` of a listen, from nodes of earlier versions: its order has no
    /// declared index.
    case unindexed(listen: UInt64)
    /// `["change", listen, [[relative path, value], …]]`: the changes of one operation, applied together and in
    /// order. The first one of a listen, and each one at the empty path, is the whole content of the listen. A
    /// first one without writes says that the client holds exactly that content.
    case change(listen: UInt64, writes: [Write])
    /// `["ranges", listen, [[after, through, [[relative path, value], …]], …]]`: the first answer of a
    /// listen for a client that holds the rest; all leaves of each range give way to the writes.
    case ranges(listen: UInt64, ranges: [ChangedRange])
    /// `["ready", id, member, wall milliseconds, time, {origin: sequence, …}]`: the answer to `hello`,
    /// with the node's clocks and all that it holds.
    case ready(
        id: UInt64, member: String, wallMilliseconds: UInt64, time: HybridTime, holds: VersionVector
    )
    /// `["seen", time, {origin: sequence, …}]`: the frame shows nothing newer than the time, and more of these
    /// origins than earlier frames.
    case seen(time: HybridTime, holds: VersionVector)
    /// `["error", id, code, problem, fix]`: nothing was done.
    case error(id: UInt64, code: ErrorCode, problem: String, fix: String)
    /// `["ended", listen, code, problem, fix]`: the node ended this listen.
    case ended(listen: UInt64, code: ErrorCode, problem: String, fix: String)
}

extension NodeMessage {
    /// The ID of the answered request; nil for data of a listen, and for an answer without the ID of a request.
    package var answeredID: UInt64? {
        switch self {
        case .ok(let id), .acknowledged(let id, _), .pushed(let id, _), .value(let id, _),
            .ready(let id, _, _, _, _), .error(let id, _, _, _):
            id == 0 ? nil : id
        case .change, .ranges, .seen, .unindexed, .ended: nil
        }
    }
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
    /// The database permits no further request of this kind at present. Native clients receive `tooBig`.
    case tooMany = "too_many"
    /// The database has as much data as it may have. Native clients receive `tooBig`.
    case full
    /// The data do not meet the condition of the write.
    case changed
    /// No node has executed the request with this stamp, and none will. The client may repeat it with a new stamp.
    case late
    /// This node has not done what has this stamp, and cannot know yet whether another one has: ask
    /// again, with the same stamp.
    case undecided
    /// The node does not hold what the client has seen elsewhere.
    case behind
    /// Earlier writes may still change the data.
    case notStable = "not_stable"
    /// No coordinator could be reached, which needs a majority of the nodes; nothing was done.
    case noMajority = "no_majority"
    /// The rules do not permit it, or only administrators may do it.
    case permissionDenied = "permission_denied"
}

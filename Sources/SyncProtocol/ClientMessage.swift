public import DataTree

/// What a client asks of a node. Each is a MessagePack array that begins with its name.
///
/// `id` is any number that the client has not in use; the answer repeats it.
public enum ClientMessage: Equatable, Sendable {
    /// `["get", id, path]`, answered by `value`.
    case get(id: UInt64, path: Path)
    /// `["put", id, path, value]`: replaces what is at the path, null removes. Answered by `ok`.
    case put(id: UInt64, path: Path, value: Value)
    /// `["merge", id, path, {relative path: value, …}]`: one atomic multi-path update. Answered by `ok`.
    case merge(id: UInt64, path: Path, writes: [Write])
    /// `["push", id, path, value]`: appends a child; the node makes its key. Answered by `pushed`.
    case push(id: UInt64, path: Path, value: Value)
    /// `["listen", id, path]`: answered by `ok`, then `change` with the whole value, then a `change`
    /// for each operation that alters something at or below the path.
    case listen(id: UInt64, path: Path)
    /// `["unlisten", id, listen]`, where `listen` is the id of the listen. Answered by `ok`.
    case unlisten(id: UInt64, listen: UInt64)
    /// `["ping", id]`, answered by `ok`: tells that the connection lives.
    case ping(id: UInt64)
    /// `["status", id]`, answered by `value` with what `hearth cluster status` shows.
    case status(id: UInt64)
}

/// What a node tells a client.
public enum NodeMessage: Equatable, Sendable {
    /// `["ok", id]`: done, and durable as the node's durability mode promises.
    case ok(id: UInt64)
    /// `["pushed", id, key]`: done, under this new key.
    case pushed(id: UInt64, key: Key)
    /// `["value", id, value]`, priorities in export form.
    case value(id: UInt64, value: Value)
    /// `["change", listen, [[relative path, value], …]]`: what one operation changed, applied
    /// together and in order.
    case change(listen: UInt64, writes: [Write])
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
}

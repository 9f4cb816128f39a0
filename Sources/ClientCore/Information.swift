import DataTree
import QueryEngine

/// A client's own state below `.info`: whether it is connected, and by how much the node's clock is ahead of its
/// own.
///
/// Listens to it work like any other, but it never leaves the client.
struct Information: Sendable {
    /// The first key of all paths that lead here.
    static let key = Key(unchecked: ".info")

    private static let connected = Path([key, Key(unchecked: "connected")])
    private static let offset = Path([key, Key(unchecked: "serverTimeOffset")])

    private var tree = SyncTree()
    private var value = Value.null

    /// By how many milliseconds the node's clock is ahead of this client's.
    private(set) var offsetMilliseconds: Int64 = 0

    init() {
        value.set(.boolean(false), at: Information.connected)
        value.set(.integer(0), at: Information.offset)
    }

    subscript(path: Path) -> Value { value[path] }

    mutating func listen(_ id: ListenID, at path: Path, to query: Query) -> [SyncOutput] {
        tree.listen(id, at: path, to: query).flatMap { output -> [SyncOutput] in
            switch output {
            case .start(let listen): tree.receive([(.root, value[listen.path])], for: listen)
            case .stop: []
            case .observed: [output]
            }
        }
    }

    mutating func unlisten(_ id: ListenID) { _ = tree.unlisten(id) }

    mutating func setConnected(_ isConnected: Bool) -> [SyncOutput] {
        set(.boolean(isConnected), at: Information.connected)
    }

    mutating func setOffset(milliseconds: Int64) -> [SyncOutput] {
        offsetMilliseconds = milliseconds
        return set(.integer(milliseconds), at: Information.offset)
    }

    private mutating func set(_ new: Value, at path: Path) -> [SyncOutput] {
        value.set(new, at: path)
        return tree.overwrite(path, with: new).filter {
            if case .observed = $0 { true } else { false }
        }
    }
}

extension Path {
    /// Whether it is at or below `.info`.
    var isInformation: Bool { keys.first == Information.key }
}

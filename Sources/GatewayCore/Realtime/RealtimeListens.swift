internal import DataTree
internal import QueryEngine

/// The listens of one Firebase session: clients name them by path and query, the replica by number.
struct RealtimeListens {
    /// How a client names a listen.
    struct Key: Hashable {
        let path: Path
        let query: Query
    }

    struct Listen {
        let key: Key
        /// The client's short name, with which all that is pushed for a query comes.
        let tag: Int64?
        /// Whether the first data has been pushed, or the client holds it.
        var hasData = false
        /// Whether the replica has accepted it; the client learns it after the first data.
        var isAccepted = false
    }

    private var numbers: [Key: UInt64] = [:]
    private var listens: [UInt64: Listen] = [:]

    subscript(number: UInt64) -> Listen? { listens[number] }

    /// The numbers of all listens, ascending.
    var all: [UInt64] { listens.keys.sorted() }

    /// Adds a listen under a new number; returns false if there is one with this key.
    mutating func add(_ key: Key, tag: Int64?, as number: UInt64) -> Bool {
        guard numbers[key] == nil else { return false }
        numbers[key] = number
        listens[number] = Listen(key: key, tag: tag)
        return true
    }

    /// Removes the listen with a key; returns its number.
    mutating func remove(_ key: Key) -> UInt64? {
        guard let number = numbers.removeValue(forKey: key) else { return nil }
        listens[number] = nil
        return number
    }

    mutating func remove(_ number: UInt64) {
        if let listen = listens.removeValue(forKey: number) { numbers[listen.key] = nil }
    }

    /// Records that the replica has accepted a listen; returns whether its client may be notified. An ended listen
    /// waits for no data.
    mutating func accept(_ number: UInt64) -> Bool {
        guard listens[number] != nil else { return true }
        listens[number]!.isAccepted = true
        return listens[number]!.hasData
    }

    /// Records that the first data has been pushed; returns whether to notify the client that its listen is
    /// accepted.
    mutating func pushedData(to number: UInt64) -> Bool {
        guard let listen = listens[number], !listen.hasData else { return false }
        listens[number]!.hasData = true
        return listen.isAccepted
    }
}

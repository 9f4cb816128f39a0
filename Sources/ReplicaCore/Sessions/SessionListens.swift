/// The listens of one session, by the IDs that its client gave them: a session may have 10,000.
struct SessionListens: Sendable {
    private var listens: [UInt64: (number: Int, listen: Listens.Listen)] = [:]
    private var lastNumber = 0

    var count: Int { listens.count }

    subscript(id: UInt64) -> Listens.Listen? { listens[id]?.listen }

    /// All listens, in the order in which they began.
    ///
    /// - Complexity: O(n log n).
    var inOrder: [Listens.Listen] {
        listens.values.sorted { $0.number < $1.number }.map(\.listen)
    }

    /// Adds a listen with a new ID.
    mutating func add(_ listen: Listens.Listen) {
        lastNumber += 1
        listens[listen.id] = (lastNumber, listen)
    }

    /// Removes a listen, and returns it.
    mutating func remove(_ id: UInt64) -> Listens.Listen? {
        listens.removeValue(forKey: id)?.listen
    }
}

import DataTree
public import SyncProtocol

// The limits of the database for writes of clients.

extension Replica {
    /// The children of a replaced value that decide about its size.
    private static let samples = 256

    /// The limits of the database.
    public var databaseLimits: DatabaseLimits { sessions.quota.limits }

    /// Sets the limits of the database.
    public mutating func setDatabaseLimits(_ limits: DatabaseLimits) {
        sessions.quota.set(limits, at: now.elapsedMilliseconds)
    }

    /// Checks that the limits of the database permit a request with these writes, and charges it.
    mutating func checkLimits(of writes: [Write]) throws(RequestFailure) {
        guard sessions.quota.limitsWrites else { return }
        let byteCount = writes.reduce(0) { $0 + $1.value.dataBytes }
        try checkRoom(for: byteCount, of: writes)
        try sessions.quota.spend(writeOf: byteCount, at: now.elapsedMilliseconds)
    }

    /// Checks that the data stay below their limit, or that the writes make them no larger.
    private func checkRoom(for byteCount: Int, of writes: [Write]) throws(RequestFailure) {
        guard let limit = sessions.quota.limits.limit(.dataBytes),
            dataSize.bytes + byteCount > limit
        else { return }
        let replaced = writes.reduce(0) { sum, write in
            sum + value[write.path].estimatedDataBytes(samples: Self.samples)
        }
        let growth = byteCount - replaced
        guard growth > 0, dataSize.bytes + growth > limit else { return }
        throw RequestFailure(
            .full, "The database is full: it may have \(limit) bytes of data.",
            fix: "remove data, or have an administrator raise the limit", limit: .dataBytes)
    }
}

public import SyncProtocol

/// The use of a replica's database.
public struct ReplicaUse: Equatable, Sendable {
    /// The bytes of the data, as far as they are counted.
    public let dataBytes: Int
    /// Whether all data are counted.
    public let isCounted: Bool
    /// The operations of all nodes that the replica holds.
    public let operations: Int
    /// How often limits of the database have refused a request.
    public let refusals: [DatabaseLimits.Kind: Int]
}

extension Replica {
    /// Returns the use of the database. Mutating, because a non-mutating function can copy the replica.
    public mutating func use() -> ReplicaUse {
        ReplicaUse(
            dataBytes: dataSize.bytes, isCounted: dataSize.isComplete,
            operations: Int(clamping: vector.total),
            refusals: sessions.limits.ofDatabase)
    }

    /// Returns the bytes of the data; mutating for the same reason.
    public mutating func dataBytes() -> Int { dataSize.bytes }
}

extension LimitCounts {
    /// The counts of the limits of the database.
    fileprivate var ofDatabase: [DatabaseLimits.Kind: Int] {
        let limits: [(NodeLimit, DatabaseLimits.Kind)] = [
            (.writesPerSecond, .writesPerSecond), (.bytesPerSecond, .bytesPerSecond),
            (.dataBytes, .dataBytes), (.answerBytes, .answerBytes),
        ]
        var refusals: [DatabaseLimits.Kind: Int] = [:]
        for (limit, kind) in limits {
            let count = count(of: limit)
            if count > 0 { refusals[kind] = count }
        }
        return refusals
    }
}

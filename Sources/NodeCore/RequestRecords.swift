public import ReplicaCore

// The requests that the log of a node mentions.

extension NodeCore {
    /// Removes and returns the requests of all databases since the last call, and how many more there were.
    ///
    /// - Complexity: O(databases that had inputs since then)
    public mutating func removeRequestRecords() -> (records: [RequestRecord], omitted: Int) {
        var (records, omitted) = replica.removeRequestRecords()
        for position in stepped {
            named[position].isStepped = false
            guard named[position].hasReplica else { continue }
            let more = named[position].replica.removeRequestRecords()
            records += more.records
            omitted += more.omitted
        }
        stepped.removeAll(keepingCapacity: true)
        return (records, omitted)
    }
}

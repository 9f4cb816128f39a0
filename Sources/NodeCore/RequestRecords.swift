public import ReplicaCore

// The requests that the log of a node mentions.

extension NodeCore {
    /// Removes and returns the requests of all databases since the last call, and how many more there were.
    public mutating func removeRequestRecords() -> (records: [RequestRecord], omitted: Int) {
        var (records, omitted) = replica.removeRequestRecords()
        for index in named.indices where named[index].hasReplica {
            let more = named[index].replica.removeRequestRecords()
            records += more.records
            omitted += more.omitted
        }
        return (records, omitted)
    }
}

import ReplicaCore
import SyncProtocol

/// What a turn of a node did for clients, for those who judge it; whoever looks at a part of it removes that.
struct TurnRecord {
    /// The frames of clients that the turn took, and how far the replica was before and after.
    var served:
        [(session: SessionID, frame: [UInt8], before: VersionVector, vector: VersionVector)] = []
    /// The sessions that the turn ended, and how far the replica was before and after.
    var closings: [(session: SessionID, before: VersionVector, after: VersionVector)] = []
    /// Its steps, where it is judged what clients may do.
    var accessEvents: [AccessEvent] = []

    mutating func takeServed() -> [(
        session: SessionID, frame: [UInt8], before: VersionVector, vector: VersionVector
    )] {
        defer { served.removeAll(keepingCapacity: true) }
        return served
    }

    mutating func takeClosings() -> [(
        session: SessionID, before: VersionVector, after: VersionVector
    )] {
        defer { closings.removeAll(keepingCapacity: true) }
        return closings
    }

    mutating func takeAccessEvents() -> [AccessEvent] {
        defer { accessEvents.removeAll(keepingCapacity: true) }
        return accessEvents
    }
}

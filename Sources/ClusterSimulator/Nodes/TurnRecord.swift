import ReplicaCore
import SyncProtocol

/// The work of a node's turn for clients. Each check removes the part that it has evaluated.
struct TurnRecord {
    /// The frame of a client that the turn took, and how far the replica was before and after.
    struct Served {
        let session: SessionID
        let frame: [UInt8]
        /// Whether the replica refused all but a hello.
        let requiresHello: Bool
        let before: VersionVector
        let vector: VersionVector
    }

    var served: [Served] = []
    /// The sessions that the turn ended, and how far the replica was before and after.
    var closings: [(session: SessionID, before: VersionVector, after: VersionVector)] = []
    /// Its steps, where it is judged what clients may do.
    var accessEvents: [AccessEvent] = []

    // Most turns have nothing of these, and new memory costs more than the look.

    mutating func takeServed() -> [Served] {
        if served.isEmpty { return [] }
        defer { served = [] }
        return served
    }

    mutating func takeClosings() -> [(
        session: SessionID, before: VersionVector, after: VersionVector
    )] {
        if closings.isEmpty { return [] }
        defer { closings = [] }
        return closings
    }

    mutating func takeAccessEvents() -> [AccessEvent] {
        if accessEvents.isEmpty { return [] }
        defer { accessEvents = [] }
        return accessEvents
    }
}

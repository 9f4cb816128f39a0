internal import GatewayCore
internal import SyncProtocol

/// The requests of the gateway, and the connections with room, that wait for the next turn, in order.
///
/// Requests that follow from the replica's own answers wait, because the replica is just ending a turn. Connections
/// that have room again wait too, because only some of them get another part of a large value in one turn.
struct GatewayBacklog {
    /// How many connections have room in a turn: the others, and small requests, do not wait longer.
    private static let partsPerTurn = 8

    private var requests: [GatewayOutput] = []
    private var writable: ArraySlice<SessionID> = []

    /// Whether nothing waits.
    var isEmpty: Bool { requests.isEmpty && writable.isEmpty }

    /// Keeps a request to the replica while it answers, or behind others that wait; false if it is due at once.
    mutating func keep(_ request: GatewayOutput, whileAnswering: Bool) -> Bool {
        guard whileAnswering || !requests.isEmpty else { return false }
        requests.append(request)
        return true
    }

    /// Adds a connection that has room again.
    mutating func append(writable session: SessionID) { writable.append(session) }

    /// Removes and returns the requests to the replica.
    mutating func removeRequests() -> [GatewayOutput] {
        defer { requests = [] }
        return requests
    }

    /// Removes and returns the connections whose turn it is.
    mutating func removeWritable() -> [SessionID] {
        let sessions = Array(writable.prefix(GatewayBacklog.partsPerTurn))
        writable.removeFirst(sessions.count)
        return sessions
    }
}

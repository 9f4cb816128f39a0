public import SyncProtocol

/// Work for a later turn of a gateway's driver, in order.
///
/// Requests that follow from the replica's own answers wait, because the replica is just ending a turn. Connections
/// that have room again wait too, because only some of them get another part of a large value in one turn.
public struct GatewayBacklog: Sendable {
    /// How many connections have room in a turn: the others, and small requests, do not wait longer.
    private static let partsPerTurn = 8

    private var requests: [GatewayOutput] = []
    private var writable: ArraySlice<SessionID> = []

    /// A backlog with nothing to do.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { requests.isEmpty && writable.isEmpty }

    /// Keeps a request to the replica while it answers, or behind others that wait; false if it is due at once.
    public mutating func keep(_ request: GatewayOutput, whileAnswering: Bool) -> Bool {
        guard whileAnswering || !requests.isEmpty else { return false }
        requests.append(request)
        return true
    }

    /// Adds a connection that has room again.
    public mutating func append(writable session: SessionID) { writable.append(session) }

    /// Removes and returns the requests to the replica.
    public mutating func removeRequests() -> [GatewayOutput] {
        defer { requests = [] }
        return requests
    }

    /// Removes and returns the connections whose turn it is.
    public mutating func removeWritable() -> [SessionID] {
        let sessions = Array(writable.prefix(GatewayBacklog.partsPerTurn))
        writable.removeFirst(sessions.count)
        return sessions
    }
}

import Store

/// What a turn has collected so far.
struct OpenTurn: Sendable {
    var entries: [LogEntry] = []
    var properties: [Property] = []
    /// Sent once the turn is durable, before the outbox's messages to clients.
    var published: [Output] = []
    /// Sent at once: it shows nothing that could be lost.
    var immediate: [Output] = []
    /// Operations applied to the tree.
    var applied = 0
    /// Whether this turn replays the orphaned operations.
    var clearsOrphans = false
    /// Whether a client waits until this turn's operations are durable at other nodes too.
    var asksForHeartbeats = false
    /// Whether a peer waits until this turn is durable.
    var owesHeartbeat = false

    /// Begins the next turn.
    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        published.removeAll(keepingCapacity: true)
        immediate.removeAll(keepingCapacity: true)
        applied = 0
        clearsOrphans = false
        asksForHeartbeats = false
        owesHeartbeat = false
    }
}

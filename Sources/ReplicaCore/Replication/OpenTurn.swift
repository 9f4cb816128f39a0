import Store

/// What a turn has gathered so far.
struct OpenTurn: Sendable {
    var entries: [LogEntry] = []
    var properties: [Property] = []
    /// Leaves once the turn is durable, before what the outbox has for clients.
    var published: [Output] = []
    /// Leaves at once: it shows nothing that could be lost.
    var immediate: [Output] = []
    /// Operations applied to the tree.
    var applied = 0
    /// Whether the orphaned operations are replayed in this turn.
    var clearsOrphans = false
    /// Whether a client waits until this turn's operations are durable elsewhere too.
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

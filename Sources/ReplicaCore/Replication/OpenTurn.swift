import Convergence
import Store

/// The effects that a turn has collected so far.
struct OpenTurn: Sendable {
    var entries: [LogEntry] = []
    var properties: [Property] = []
    /// Sent once the turn is durable, before the outbox's messages to clients.
    var published: [Output] = []
    /// Sent at once: it shows nothing that could be lost.
    var immediate: [Output] = []
    /// Large parts that were taken out of the tree.
    var dropped = DroppedParts()
    /// Operations applied to the tree, and the writes in them.
    var applied = 0
    var appliedWrites = 0
    /// Whether this turn replays the orphaned operations.
    var clearsOrphans = false
    /// Whether a client waits until this turn's operations are durable at other nodes too.
    var asksForHeartbeats = false
    /// Whether a peer waits until this turn is durable.
    var owesHeartbeat = false

    /// Begins the next turn.
    mutating func clear() {
        // In most turns all arrays are empty, and emptying them costs more than the check.
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
        if !properties.isEmpty { properties.removeAll(keepingCapacity: true) }
        if !published.isEmpty { published.removeAll(keepingCapacity: true) }
        if !immediate.isEmpty { immediate.removeAll(keepingCapacity: true) }
        if !dropped.isEmpty { dropped = DroppedParts() }
        applied = 0
        appliedWrites = 0
        clearsOrphans = false
        asksForHeartbeats = false
        owesHeartbeat = false
    }
}

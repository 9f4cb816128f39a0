// Policies of a cluster, from its configuration.

/// When a write counts as durable, so that it may be acknowledged, published and shown.
public enum Durability: String, CaseIterable, Sendable {
    /// Once it is synced to disk.
    case commit
    /// At once; it is synced with the next heartbeat, or earlier if somebody waits for that.
    case interval
    /// At once; nothing is stored on disk.
    case memory
}

/// The treatment of operations that only a rejoining node holds.
public enum OrphanPolicy: String, CaseIterable, Sendable {
    /// Operations that conflict with nothing, new children of lists and increments, are replayed. The others are
    /// quarantined under `/_conflicts/NODE`.
    case replay
    /// All are quarantined there, for the user to decide.
    case keep
}

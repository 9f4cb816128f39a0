import SyncProtocol

// Operations of many writes, which show once all their writes are applied, some turns after the replica has accepted them.

extension Replica {
    /// Whether a further turn has work to do, without any input.
    public var hasDueWork: Bool {
        hasLargeOperations || !sessions.pace.due(at: now.elapsedMilliseconds).isEmpty
    }

    private var hasLargeOperations: Bool {
        !replication.largeOperations.isEmpty || replication.largeOperations.hasReleased
    }

    /// Operations that the tree shows for certain.
    var shownVector: VersionVector { replication.largeOperations.shownVector ?? vector }

    /// Applies this turn's share of an operation of many writes.
    mutating func advanceLargeOperations() {
        // In the turn after the operation, which may have begun a checkpoint in between.
        if replication.largeOperations.hasReleased { serveWaiting() }
        if replication.largeOperations.isEmpty { return }
        // Its orphaned operations are compared with the tree.
        if lifecycle.isRejoining { return completeLargeOperations() }
        advanceLargeOperations(limit: configuration.limits.writesPerTurn)
    }

    /// Applies all operations of many writes at once.
    mutating func completeLargeOperations() {
        while hasLargeOperations {
            advanceLargeOperations(limit: .max)
            serveWaiting()
        }
    }

    private mutating func advanceLargeOperations(limit: Int) {
        guard let done = replication.advanceLargeOperations(limit: limit) else { return }
        show(done.changes)
        if let confirmation = done.confirmation {
            confirm(confirmation.submission, with: confirmation.answer)
        }
    }

    /// Serves the requests that wait until an operation shows, in order; each may wait again, for another reason.
    private mutating func serveWaiting() {
        replication.largeOperations.hasReleased = false
        for session in sessions.waiting.sessions where !coordination.forwarded.contains(session) {
            serveWaiting(of: session)
        }
    }
}

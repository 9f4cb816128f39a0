import SyncProtocol

// Operations of many writes, which show once all their writes are applied, some turns after the replica has accepted them.

extension Replica {
    /// Whether operations of many writes do not show yet, or requests that have waited for one are not released yet.
    var hasLargeOperations: Bool {
        !replication.largeOperations.isEmpty || replication.largeOperations.hasReleased
    }

    /// Operations that the tree shows for certain.
    var shownVector: VersionVector { replication.largeOperations.shownVector ?? vector }

    /// Applies this turn's share of an operation of many writes.
    mutating func advanceLargeOperations() {
        // In the turn after the operation, which may have begun a checkpoint in between.
        if replication.largeOperations.hasReleased { releaseWaiting() }
        if replication.largeOperations.isEmpty { return }
        // Its orphaned operations are compared with the tree.
        if lifecycle.isRejoining { return completeLargeOperations() }
        advanceLargeOperations(limit: configuration.limits.writesPerTurn)
    }

    /// Applies all operations of many writes at once.
    mutating func completeLargeOperations() {
        while hasLargeOperations {
            advanceLargeOperations(limit: .max)
            releaseWaiting()
        }
    }

    private mutating func advanceLargeOperations(limit: Int) {
        let before = replication.turn.appliedWrites
        let done = replication.advanceLargeOperations(limit: limit)
        sessions.shares.spend(appliedWrites: replication.turn.appliedWrites - before)
        guard let done else { return }
        show(done.changes)
        if let confirmation = done.confirmation {
            confirm(confirmation.submission, with: confirmation.answer)
        }
    }

    /// Has the requests that wait until an operation shows be served by their sessions' shares of this turn and later ones, in
    /// order. Each may wait again, for another reason.
    private mutating func releaseWaiting() {
        replication.largeOperations.hasReleased = false
        for session in sessions.waiting.sessions where !coordination.forwarded.contains(session) {
            release(session)
        }
    }
}

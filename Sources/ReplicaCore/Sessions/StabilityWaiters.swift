import SyncProtocol

/// Clients that wait until all writes made before their request have arrived.
struct StabilityWaiters: Sendable {
    /// The longest time that a client may wait.
    static let longestMilliseconds: UInt64 = 600_000

    struct Waiting: Sendable {
        let session: SessionID
        let id: UInt64
        /// The latest stamp that a write before the request can have, by this node's clocks.
        let time: HybridTime
        let untilMilliseconds: UInt64
    }

    let limit: Int
    private(set) var waiting: [Waiting] = []

    init(within limits: ReplicaLimits) { limit = limits.stabilityWaiters }

    mutating func add(_ one: Waiting) { waiting.append(one) }

    mutating func removeAll(of session: SessionID) {
        if !waiting.isEmpty { waiting.removeAll { $0.session == session } }
    }

    /// Removes and returns the clients that no longer need to wait, or have waited long enough.
    mutating func remove(where isOver: (Waiting) -> Bool) -> [Waiting] {
        let taken = waiting.filter(isOver)
        if !taken.isEmpty { waiting.removeAll(where: isOver) }
        return taken
    }
}

extension Sessions {
    /// Has a client wait until the stable time has passed the present time of these clocks.
    mutating func awaitStable(
        within milliseconds: UInt64, _ id: UInt64, _ session: SessionID,
        seeing replica: ReplicationView
    ) {
        guard stabilityWaiters.waiting.count < stabilityWaiters.limit else {
            return refuse(
                .tooBig, "\(stabilityWaiters.limit) clients already wait for stable data",
                fix: "try again later, or use another node", id, session)
        }
        let now = replica.now
        // Another node's writes of this same millisecond count as earlier too.
        let next = HybridTime(milliseconds: now.wallMilliseconds + 1)
        stabilityWaiters.add(
            .init(
                session: session, id: id, time: max(replica.time, next),
                untilMilliseconds: now.elapsedMilliseconds
                    + min(milliseconds, StabilityWaiters.longestMilliseconds)))
    }

    /// Answers the clients for which all earlier writes are stable.
    ///
    /// - Returns: The clients that have waited long enough, so that they receive the reason.
    mutating func answerStabilityWaiters(
        seeing replica: ReplicationView
    ) -> [StabilityWaiters.Waiting] {
        if stabilityWaiters.waiting.isEmpty { return [] }
        let slow = slowClients
        // A slow client has not yet received what its listens have missed.
        let done = stabilityWaiters.remove {
            $0.time <= replica.stableTime && !slow.contains($0.session)
        }
        for one in done { send(.ok(id: one.id), to: one.session) }
        return stabilityWaiters.remove { replica.now.elapsedMilliseconds >= $0.untilMilliseconds }
    }

    /// Tells a client that has waited long enough why earlier writes may still arrive.
    mutating func refuse(
        _ waiter: StabilityWaiters.Waiting, because reason: (problem: String, fix: String)
    ) {
        // Which nodes there are concerns administrators alone.
        guard !access.isUser(waiter.session) else {
            return refuse(
                .notStable, "earlier writes may still arrive", fix: "allow more time",
                waiter.id, waiter.session)
        }
        refuse(
            .notStable, "earlier writes may still arrive at \(member): \(reason.problem)",
            fix: reason.fix, waiter.id, waiter.session)
    }
}

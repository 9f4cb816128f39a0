import SyncProtocol

/// Clients that wait until nothing can come any more that was written before they asked.
struct StabilityWaiters: Sendable {
    static let limit = 1_000
    /// The longest that a client may wait.
    static let longestMilliseconds: UInt64 = 600_000

    struct Waiting: Sendable {
        let session: SessionID
        let id: UInt64
        /// Nothing written before the client asked has a later stamp, by this node's clocks.
        let time: HybridTime
        let untilMilliseconds: UInt64
    }

    private(set) var waiting: [Waiting] = []

    mutating func add(_ one: Waiting) { waiting.append(one) }

    mutating func removeAll(of session: SessionID) {
        if !waiting.isEmpty { waiting.removeAll { $0.session == session } }
    }

    /// Takes those whose waiting is over, one way or the other.
    mutating func take(where isOver: (Waiting) -> Bool) -> [Waiting] {
        let taken = waiting.filter(isOver)
        if !taken.isEmpty { waiting.removeAll(where: isOver) }
        return taken
    }
}

extension Sessions {
    /// Has a client wait until the stable time has passed what these clocks show now.
    mutating func awaitStable(
        within milliseconds: UInt64, _ id: UInt64, _ session: SessionID,
        seeing replica: ReplicationView
    ) {
        guard stabilityWaiters.waiting.count < StabilityWaiters.limit else {
            return refuse(
                .tooBig, "\(StabilityWaiters.limit) clients wait already until all is stable",
                fix: "ask later, or at another node", id, session)
        }
        let now = replica.now
        // What was written elsewhere in this very millisecond was written before, too.
        let next = HybridTime(milliseconds: now.wallMilliseconds + 1)
        stabilityWaiters.add(
            .init(
                session: session, id: id, time: max(replica.time, next),
                untilMilliseconds: now.elapsedMilliseconds
                    + min(milliseconds, StabilityWaiters.longestMilliseconds)))
    }

    /// Answers the clients for whom all is stable.
    ///
    /// - Returns: Those who have waited long enough, to be told why it is not.
    mutating func answerStabilityWaiters(
        seeing replica: ReplicationView
    ) -> [StabilityWaiters.Waiting] {
        if stabilityWaiters.waiting.isEmpty { return [] }
        let slow = slowClients
        // A client that reads slowly has not been told yet what its listens have missed.
        let done = stabilityWaiters.take {
            $0.time <= replica.stableTime && !slow.contains($0.session)
        }
        for one in done { send(.ok(id: one.id), to: one.session) }
        return stabilityWaiters.take { replica.now.elapsedMilliseconds >= $0.untilMilliseconds }
    }

    /// Tells a client that has waited long enough why earlier writes may still change.
    mutating func refuse(
        _ waiter: StabilityWaiters.Waiting, because reason: (problem: String, fix: String)
    ) {
        refuse(
            .notStable, "earlier writes may still arrive at \(member): \(reason.problem)",
            fix: reason.fix, waiter.id, waiter.session)
    }
}

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

extension Replica {
    /// Answers a client once the stable time has passed what these clocks show now.
    mutating func awaitStable(within milliseconds: UInt64, _ id: UInt64, _ session: SessionID) {
        if rejoin != nil { return refuseWhileRejoining(id, session) }
        guard stabilityWaiters.waiting.count < StabilityWaiters.limit else {
            return refuse(
                .tooBig, "\(StabilityWaiters.limit) clients wait already until all is settled",
                fix: "ask later, or at another node", id, session)
        }
        // What was written elsewhere in this very millisecond was written before, too.
        let next = HybridTime(milliseconds: now.wallMilliseconds + 1)
        stabilityWaiters.add(
            .init(
                session: session, id: id, time: max(clock.last, next),
                untilMilliseconds: now.elapsedMilliseconds
                    + min(milliseconds, StabilityWaiters.longestMilliseconds)))
    }

    /// Answers those for whom all is stable, and those who have waited long enough.
    mutating func answerStabilityWaiters() {
        if stabilityWaiters.waiting.isEmpty { return }
        let (stableTime, slow) = (stableTime, slowClients)
        // Who reads slowly has not been told yet what its listens have missed.
        for one in stabilityWaiters.take(where: {
            $0.time <= stableTime && !slow.contains($0.session)
        }) {
            outbox.append(.ok(id: one.id), to: one.session)
        }
        let now = now.elapsedMilliseconds
        for one in stabilityWaiters.take(where: { now >= $0.untilMilliseconds }) {
            let reason = reasonAgainst(one.time)
            refuse(
                .notStable,
                "what was written before may still change at \(configuration.member): "
                    + reason.problem, fix: reason.fix, one.id, one.session)
        }
    }

    /// Why what was written up to a time is not stable.
    private func reasonAgainst(_ time: HybridTime) -> (problem: String, fix: String) {
        let silent = silentMembers
        if !silent.isEmpty {
            return (
                "it does not hear \(silent.joined(separator: ", "))",
                "start what is away, or vote it out with `hearth cluster evict`; see `hearth cluster "
                    + "doctor`"
            )
        }
        let window = configuration.retryWindowMilliseconds
        if closedTimestamp < time {
            return ("nodes take writes that are up to \(window) ms old", "allow for more time")
        }
        let late = peers.notStable(through: time)
        return (
            "it waits for what \(late.joined(separator: ", ")) may still have",
            "allow for more time; see `hearth cluster doctor`"
        )
    }
}

import SyncProtocol

/// Writes whose clients wait until they are durable on more members than this one.
struct WriteConcernWaiters: Sendable {
    /// After this long the client is told what was reached: less than a client waits for an answer,
    /// which has to learn that its write is done.
    static let patienceMilliseconds: UInt64 = 3_000
    static let limit = 100_000

    struct Waiting: Sendable {
        var session: SessionID
        var id: UInt64
        var concern: WriteConcern
        /// Of the write's operation, among those of this replica.
        var sequence: UInt64
        var untilMilliseconds: UInt64
    }

    /// Ascending by sequence.
    private(set) var waiting: [Waiting] = []

    /// False if too many wait already.
    mutating func add(_ one: Waiting) -> Bool {
        guard waiting.count < WriteConcernWaiters.limit else { return false }
        waiting.append(one)
        return true
    }

    /// Takes all.
    mutating func takeAll() -> [Waiting] {
        defer { waiting.removeAll() }
        return waiting
    }

    mutating func removeAll(of session: SessionID) {
        if !waiting.isEmpty { waiting.removeAll { $0.session == session } }
    }

    /// Takes those that have reached what they wait for, or have waited for long enough, each with what
    /// it has reached.
    ///
    /// - Parameter reached: How much every member holds, and how much most of them do.
    mutating func take(
        reached: (all: UInt64, majority: UInt64), at milliseconds: UInt64
    ) -> [(Waiting, WriteConcern)] {
        var taken: [(Waiting, WriteConcern)] = []
        waiting.removeAll { one in
            let met: WriteConcern =
                one.sequence <= reached.all
                ? .all : one.sequence <= reached.majority ? .majority : .local
            let isMet = met == .all || met == one.concern
            guard isMet || milliseconds >= one.untilMilliseconds else { return false }
            taken.append((one, isMet ? one.concern : met))
            return true
        }
        return taken
    }
}

extension Sessions {
    /// Has a client wait until its write, the operation `sequence` of this replica, is as durable as it wants.
    ///
    /// - Returns: Whether it waits; if not, it is answered.
    mutating func answer(
        _ id: UInt64, once concern: WriteConcern, for session: SessionID, after sequence: UInt64,
        at now: Moment
    ) -> Bool {
        let waits =
            concern != .local
            && writeConcernWaiters.add(
                .init(
                    session: session, id: id, concern: concern, sequence: sequence,
                    untilMilliseconds: now.elapsedMilliseconds
                        + WriteConcernWaiters.patienceMilliseconds))
        if !waits { send(.acknowledged(id: id, concern: .local), to: session) }
        return waits
    }

    /// Tells all waiting clients what was reached as an incarnation ends: what it alone had is kept durably.
    mutating func endWriteConcernWaiters() {
        for waiting in writeConcernWaiters.takeAll() {
            send(.acknowledged(id: waiting.id, concern: .local), to: waiting.session)
        }
    }

    /// Tells clients whose writes have become as durable as they want.
    ///
    /// - Parameters:
    ///   - holdings: How many of this replica's operations each member that is not evicted holds durably, most first.
    ///   - count: How many nodes make up the cluster: a majority is one of all of them.
    mutating func answerWriteConcernWaiters(
        holding holdings: [UInt64], ofNodes count: Int, at now: Moment
    ) {
        let half = count / 2
        let reached = (
            all: holdings[holdings.count - 1],
            majority: half < holdings.count ? holdings[half] : 0
        )
        let done = writeConcernWaiters.take(reached: reached, at: now.elapsedMilliseconds)
        for (waiting, concern) in done {
            send(.acknowledged(id: waiting.id, concern: concern), to: waiting.session)
        }
    }
}

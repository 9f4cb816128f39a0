import Marks
import SyncProtocol

/// Writes whose clients wait until they are durable at further members.
struct WriteConcernWaiters: Sendable {
    struct Waiting: Sendable {
        var session: SessionID
        var id: UInt64
        var concern: WriteConcern
        /// The sequence of the write's operation, of this replica's writer.
        var sequence: UInt64
        var untilMilliseconds: UInt64
    }

    private let limit: Int
    /// Ascending by sequence.
    private(set) var waiting: [Waiting] = []

    init(within limits: ReplicaLimits) { limit = limits.concernWaiters }

    /// Adds a write; returns false if too many wait already.
    mutating func add(_ one: Waiting) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(one)
        return true
    }

    /// Removes and returns all.
    mutating func takeAll() -> [Waiting] {
        defer { waiting.removeAll() }
        return waiting
    }

    /// Removes and returns the writes after a sequence.
    mutating func takeAll(after sequence: UInt64) -> [Waiting] {
        defer { waiting.removeAll { $0.sequence > sequence } }
        return waiting.filter { $0.sequence > sequence }
    }

    mutating func removeAll(of session: SessionID) {
        if !waiting.isEmpty { waiting.removeAll { $0.session == session } }
    }

    /// Removes and returns the writes that have reached their write concern, or have waited long enough, each
    /// with the concern reached.
    ///
    /// - Parameter reached: The sequences that all members hold, and that most members hold.
    mutating func remove(
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
    /// Has a client wait until its write, the operation `sequence` of this replica, has reached its write
    /// concern.
    ///
    /// - Returns: Whether it waits; if not, it is answered.
    mutating func answer(
        _ id: UInt64, once concern: WriteConcern, for session: SessionID, after sequence: UInt64,
        at now: Moment, within patienceMilliseconds: UInt64
    ) -> Bool {
        let waits =
            concern != .local
            && writeConcernWaiters.add(
                .init(
                    session: session, id: id, concern: concern, sequence: sequence,
                    untilMilliseconds: now.elapsedMilliseconds + patienceMilliseconds))
        if !waits { send(.acknowledged(id: id, concern: .local), to: session) }
        return waits
    }

    /// Tells all waiting clients what was reached, as an incarnation ends: its orphaned operations are kept
    /// durably.
    mutating func endWriteConcernWaiters() {
        for waiting in writeConcernWaiters.takeAll() {
            send(.acknowledged(id: waiting.id, concern: .local), to: waiting.session)
        }
    }

    /// Answers clients whose writes have reached their write concern.
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
        let done = writeConcernWaiters.remove(reached: reached, at: now.elapsedMilliseconds)
        for (waiting, concern) in done {
            if concern != waiting.concern { sometimes(.concernIsNotReached) }
            send(.acknowledged(id: waiting.id, concern: concern), to: waiting.session)
        }
    }
}

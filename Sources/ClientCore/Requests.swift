import Marks
import SyncProtocol

/// The unanswered requests: those in flight, and those that wait for room.
struct Requests: Sendable {
    struct Pending: Sendable {
        var request: Request
        let askedMilliseconds: UInt64
        /// Its effect that listeners see already.
        var write: WriteID?
        /// The number under which it is kept for the application's next process.
        let record: UInt64?
        /// Roughly how many bytes it has.
        let byteCount: Int
        /// The stamp under which nodes do it once, however often it is sent.
        var stamp: Stamp?
        /// The time of its server timestamps under this stamp, if it has some.
        var now: UInt64?
        /// Whether the connected node may have received it.
        var wasSent = false
        /// Whether an earlier node may have done it.
        var mayBeDone = false
        /// The reason of the last node that refused it for the moment.
        var refusal: HearthError?
        /// How often nodes refused it for the moment.
        var refusalCount = 0
        /// Since when nodes answer that the outcome is undecided.
        var undecidedSince: UInt64?

        var deadline: UInt64 {
            request.patience.milliseconds.map { askedMilliseconds + $0 } ?? .max
        }

        var isRepeatable: Bool { !mayBeDone || request.work.isRepeatable }

        /// The effect that an error has to report.
        var effect: HearthError.Effect {
            (wasSent || mayBeDone) && request.work.isWrite ? .unknown : .none
        }
    }

    /// By the number that the request has on the wire; iterated in sorted order only.
    private var inFlight: [UInt64: Pending] = [:]
    /// Writes that the node refused because of their stamps, by the same numbers, ascending.
    private(set) var returned: [(wireID: UInt64, pending: Pending)] = []
    /// In the order of sending; those before `head` have been taken.
    private var waiting: [Pending] = []
    private var head = 0
    /// No deadline is before this moment.
    private(set) var nextDeadline = UInt64.max
    /// Writes in flight that the node stamps.
    private var unstamped: Set<UInt64> = []
    /// The requests in flight that were sent with an effect, ascending; those before `effectsHead` have been taken.
    private var effects: [UInt64] = []
    private var effectsHead = 0
    /// Roughly how many bytes all have.
    private(set) var byteCount = 0

    var inFlightCount: Int { inFlight.count }
    var count: Int { inFlight.count + returned.count + waiting.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(
        _ request: Request, _ write: WriteID? = nil, record: UInt64? = nil, at now: UInt64,
        stamp: Stamp? = nil, time: UInt64? = nil
    ) {
        var pending = Pending(
            request: request, askedMilliseconds: now, write: write, record: record,
            byteCount: request.work.byteEstimate)
        (pending.stamp, pending.now) = (stamp, time)
        pending.mayBeDone = stamp != nil
        nextDeadline = min(nextDeadline, pending.deadline)
        byteCount += pending.byteCount
        waiting.append(pending)
    }

    /// Takes the next request to be sent, which then is in flight under `wireID`.
    mutating func send(as wireID: UInt64) -> Pending? {
        guard head < waiting.count else { return nil }
        var pending = waiting[head]
        pending.wasSent = true
        inFlight[wireID] = pending
        if pending.write != nil { effects.append(wireID) }
        head += 1
        if head == waiting.count || head > 4096 {
            waiting.removeFirst(head)
            head = 0
        }
        return pending
    }

    /// Records the form in which a request was sent.
    mutating func record(_ pending: Pending, as wireID: UInt64) {
        inFlight[wireID] = pending
        if pending.request.work.isWrite, !pending.request.work.isStampedByClient {
            unstamped.insert(wireID)
        }
    }

    /// Whether the next request has to wait for an answer: a write that the client stamps has to come after earlier
    /// writes that the node stamps.
    var mustWait: Bool {
        guard !unstamped.isEmpty, head < waiting.count else { return false }
        return waiting[head].request.work.isStampedByClient
    }

    /// Takes an answered request out of flight.
    mutating func finish(_ wireID: UInt64) -> Pending? {
        // The answer to a ping.
        if inFlight.isEmpty { return nil }
        unstamped.remove(wireID)
        let pending = inFlight.removeValue(forKey: wireID)
        if let pending { byteCount -= pending.byteCount }
        return pending
    }

    /// Removes and returns the effects of the writes that were sent before an answered one on this
    /// connection. The node has done them and sent their changes, even while they wait for other
    /// nodes.
    ///
    /// - Complexity: amortised O(1) for each write that was sent.
    mutating func takeEffects(before wireID: UInt64) -> [WriteID] {
        var taken: [WriteID] = []
        while effectsHead < effects.count, effects[effectsHead] < wireID {
            let earlier = effects[effectsHead]
            effectsHead += 1
            guard let pending = inFlight[earlier], let write = pending.write,
                pending.request.work.isStampedByClient
            else { continue }
            taken.append(write)
            inFlight[earlier]?.write = nil
        }
        if effectsHead == effects.count || effectsHead > 4096 {
            effects.removeFirst(effectsHead)
            effectsHead = 0
        }
        return taken
    }

    /// Marks a request as not taken by the node, so that it may be sent again whatever its kind.
    mutating func markUnsent(_ wireID: UInt64, because refusal: HearthError) {
        inFlight[wireID]?.wasSent = false
        inFlight[wireID]?.refusal = refusal
        inFlight[wireID]?.refusalCount += 1
    }

    /// Puts the requests in flight back to the front, in order, and returns those that must not be repeated.
    mutating func takeBackAll() -> [Pending] {
        let flight = inFlight.map { (wireID: $0.key, pending: $0.value) } + returned
        inFlight.removeAll(keepingCapacity: true)
        effects.removeAll(keepingCapacity: true)
        effectsHead = 0
        unstamped.removeAll()
        if !returned.isEmpty { sometimes(.refusedWritesLoseConnection) }
        returned.removeAll()
        let pending = flight.sorted { $0.wireID < $1.wireID }.map { $0.pending.takenBack }
        waiting.replaceSubrange(..<head, with: pending.filter(\.isRepeatable))
        head = 0
        let lost = pending.filter { !$0.isRepeatable }
        if !lost.isEmpty { sometimes(.requestsAreLostWithConnection) }
        for pending in lost { byteCount -= pending.byteCount }
        return lost
    }

    /// Removes a request that was not sent yet.
    mutating func remove(_ id: RequestID) { _ = remove { $0.request.id == id } }

    /// Removes the requests whose time is over, in the order in which they were asked.
    mutating func takeExpired(at now: UInt64) -> [Pending] {
        if now < nextDeadline { return [] }
        let expired = remove { $0.deadline <= now }
        let all = waiting[head...] + inFlight.values + returned.map(\.pending)
        nextDeadline = all.map(\.deadline).min() ?? .max
        if expired.contains(where: \.wasSent) { sometimes(.requestExpiresInFlight) }
        return expired
    }

    /// Removes the requests whose patience ends once every node has refused them.
    mutating func takeRefused(by count: Int) -> [Pending] {
        remove { pending in
            switch pending.request.patience {
            case .brief, .searching: pending.refusalCount >= count
            case .endless, .limited: false
            }
        }
    }

    /// Removes the requests whose patience ends once every node has been tried in vain.
    ///
    /// - Parameter isRefused: Whether the last node refused the connection: it does not take this client.
    mutating func takeUnserved(isRefused: Bool) -> [Pending] {
        remove { pending in
            switch pending.request.patience {
            case .brief: true
            case .searching: isRefused
            case .endless, .limited: false
            }
        }
    }

    /// Removes the writes, on-disconnect writes included, in the order of their requests.
    mutating func takeWrites() -> [Pending] { remove { $0.request.work.changesTree } }

    /// Removes all, in the order in which they were asked.
    mutating func takeAll() -> [Pending] { remove { _ in true } }

    private mutating func remove(where isTaken: (Pending) -> Bool) -> [Pending] {
        var taken: [Pending] = []
        for (wireID, pending) in inFlight.sorted(by: { $0.key < $1.key }) where isTaken(pending) {
            inFlight[wireID] = nil
            unstamped.remove(wireID)
            taken.append(pending)
        }
        taken += returned.map(\.pending).filter(isTaken)
        returned.removeAll { isTaken($0.pending) }
        taken += waiting[head...].filter(isTaken)
        waiting = waiting[head...].filter { !isTaken($0) }
        head = 0
        for pending in taken { byteCount -= pending.byteCount }
        return taken.sorted { $0.request.id < $1.request.id }
    }
}

extension Requests.Pending {
    /// The same when its connection is gone.
    fileprivate var takenBack: Requests.Pending {
        var pending = self
        pending.mayBeDone = mayBeDone || wasSent
        pending.wasSent = false
        if mayBeDone, refusal != nil { sometimes(.requestMeetsThirdNode) }
        return pending
    }
}

// MARK: - Stamps that were refused

extension Requests {
    /// Whether all writes that were sent are answered.
    var areWritesAnswered: Bool { inFlight.values.allSatisfy { !$0.request.work.isWrite } }

    /// Keeps a write that the node refused because of its stamp; false if there is no such request.
    ///
    /// - Parameter isDecided: Whether it is known that no other node has done it.
    mutating func setAside(_ wireID: UInt64, isDecided: Bool, at now: UInt64) -> Bool {
        unstamped.remove(wireID)
        guard var pending = inFlight.removeValue(forKey: wireID) else { return false }
        pending.wasSent = false
        // A node that has sent a transaction to the coordinator answers that the outcome is undecided.
        if case .transact = pending.request.work { pending.mayBeDone = true }
        if isDecided { pending.mayBeDone = false }
        if pending.mayBeDone {
            sometimes(.outcomeIsUndecided)
            pending.undecidedSince = pending.undecidedSince ?? now
        }
        returned.append((wireID, pending))
        return true
    }

    /// Whether a node may have done one of the refused writes.
    var isUndecided: Bool { returned.contains { $0.pending.mayBeDone } }

    /// Whether a write that waits has a stamp, under which a node may have done it.
    var holdStamps: Bool { waiting[head...].contains { $0.stamp != nil } }

    /// Queues the refused writes again, and returns those that have been undecided since before a moment.
    ///
    /// They get new stamps only if none of them can have been done, so that their order stays.
    mutating func putBack(undecidedBefore moment: UInt64?) -> [Pending] {
        func isLost(_ pending: Pending) -> Bool {
            guard let moment, let since = pending.undecidedSince else { return false }
            return pending.mayBeDone && since <= moment
        }
        let refused = returned.map(\.pending)
        returned.removeAll()
        let lost = refused.filter(isLost)
        for pending in lost { byteCount -= pending.byteCount }
        var kept = refused.filter { !isLost($0) }
        if !kept.contains(where: \.mayBeDone) {
            for index in kept.indices { kept[index].stamp = nil }
            if !kept.isEmpty { sometimes(.stampIsReplaced) }
        }
        waiting.replaceSubrange(..<head, with: kept)
        head = 0
        return lost
    }
}

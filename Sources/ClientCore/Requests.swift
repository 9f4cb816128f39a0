import SyncProtocol

/// The requests that are not answered yet: those in flight, and those that wait for room.
struct Requests: Sendable {
    struct Pending: Sendable {
        let request: Request
        let askedMilliseconds: UInt64
        /// What listeners see of it already.
        let write: WriteID?
        /// The number under which it is kept for the next life of the application.
        let record: UInt64?
        /// Roughly how many bytes it has.
        let byteCount: Int
        /// Whether a node may have it.
        var wasSent = false

        var deadline: UInt64 {
            request.patience.milliseconds.map { askedMilliseconds + $0 } ?? .max
        }

        var isRepeatable: Bool { !wasSent || request.work.isIdempotent }

        /// What an error leaves behind.
        var effect: HearthError.Effect {
            wasSent && request.work.isWrite ? .unknown : .none
        }
    }

    /// By the number that the request has on the wire; never walked but in sorted order.
    private var inFlight: [UInt64: Pending] = [:]
    /// In the order in which they are to be sent; those before `head` have been taken.
    private var waiting: [Pending] = []
    private var head = 0
    /// No deadline is before this moment.
    private var nextDeadline = UInt64.max
    /// Roughly how many bytes all have.
    private(set) var byteCount = 0

    var inFlightCount: Int { inFlight.count }
    var count: Int { inFlight.count + waiting.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(
        _ request: Request, _ write: WriteID? = nil, record: UInt64? = nil, at now: UInt64
    ) {
        let pending = Pending(
            request: request, askedMilliseconds: now, write: write, record: record,
            byteCount: request.work.byteEstimate)
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
        head += 1
        if head == waiting.count || head > 4096 {
            waiting.removeFirst(head)
            head = 0
        }
        return pending
    }

    /// Takes an answered request out of flight.
    mutating func finish(_ wireID: UInt64) -> Pending? {
        let pending = inFlight.removeValue(forKey: wireID)
        if let pending { byteCount -= pending.byteCount }
        return pending
    }

    /// Notes that the node did not take a request, so that it may be sent again whatever it does.
    mutating func markUnsent(_ wireID: UInt64) {
        inFlight[wireID]?.wasSent = false
    }

    /// Puts what was in flight back to the front, in order, and returns what must not be repeated.
    mutating func takeBackAll() -> [Pending] {
        let pending = inFlight.sorted { $0.key < $1.key }.map(\.value)
        inFlight.removeAll(keepingCapacity: true)
        let repeatable = pending.filter(\.isRepeatable)
        waiting.replaceSubrange(..<head, with: repeatable)
        head = 0
        let lost = pending.filter { !$0.isRepeatable }
        for pending in lost { byteCount -= pending.byteCount }
        return lost
    }

    /// Removes a request that was not sent yet.
    mutating func remove(_ id: RequestID) { _ = take { $0.request.id == id } }

    /// Removes the requests whose time is over, in the order in which they were asked.
    mutating func takeExpired(at now: UInt64) -> [Pending] {
        if now < nextDeadline { return [] }
        let expired = take { $0.deadline <= now }
        nextDeadline = (waiting[head...] + inFlight.values).map(\.deadline).min() ?? .max
        return expired
    }

    /// Removes the requests that wait only until every node has been tried.
    mutating func takeBrief() -> [Pending] {
        take { pending in
            if case .brief = pending.request.patience { true } else { false }
        }
    }

    /// Removes all, in the order in which they were asked.
    mutating func takeAll() -> [Pending] { take { _ in true } }

    private mutating func take(where isTaken: (Pending) -> Bool) -> [Pending] {
        var taken: [Pending] = []
        for (wireID, pending) in inFlight.sorted(by: { $0.key < $1.key }) where isTaken(pending) {
            inFlight[wireID] = nil
            taken.append(pending)
        }
        taken += waiting[head...].filter(isTaken)
        waiting = waiting[head...].filter { !isTaken($0) }
        head = 0
        for pending in taken { byteCount -= pending.byteCount }
        return taken.sorted { $0.request.id < $1.request.id }
    }
}

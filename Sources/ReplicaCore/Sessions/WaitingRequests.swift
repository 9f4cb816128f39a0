import DataTree
import Rules
import SyncProtocol

/// Requests that wait for an earlier transaction of their session, or until an operation of many writes shows.
///
/// The coordinator decides a transaction some time after its client has sent it. A later request of the same
/// session with overlapping locations waits for the decision. The session's requests therefore take effect in the
/// order in which they were sent. A request that overlaps a waiting one waits behind it.
struct WaitingRequests: Sendable {
    struct Waiting: Sendable {
        let message: ClientMessage
        /// The client's principal when it sent the request.
        let principal: Principal
        /// The time of the last decision that the request waited for; an older stamp would order it before the transaction.
        var decidedTime: HybridTime?
        let byteCount: Int
    }

    fileprivate struct Queue: Sendable {
        var waiting: [Waiting] = []
        /// The locations of the waiting requests, without those below others.
        var locations: [Path] = []
        var hasStamps = false
        var byteCount = 0
    }

    private let limits: ReplicaLimits
    private var queues: [SessionID: Queue] = [:]
    private(set) var count = 0
    private var byteCount = 0

    init(within limits: ReplicaLimits) { self.limits = limits }

    var isEmpty: Bool { queues.isEmpty }

    /// Whether a request of a session waits.
    func contains(_ session: SessionID) -> Bool { queues[session] != nil }

    /// The sessions with waiting requests, ascending.
    var sessions: [SessionID] { queues.keys.sorted() }

    /// Whether a location overlaps those of waiting requests.
    func overlaps(_ location: Path, of session: SessionID) -> Bool {
        queues[session]?.locations.contains { $0.overlaps(location) } ?? false
    }

    /// Whether a write with a client's stamp waits: stamps ascend in the order in which writes are done.
    func hasStamps(of session: SessionID) -> Bool { queues[session]?.hasStamps ?? false }

    /// The location of a waiting listen.
    func location(ofListen id: UInt64, of session: SessionID) -> Path? {
        for one in queues[session]?.waiting ?? [] where one.message.id == id {
            if case .listen(let listen) = one.message.request { return listen.path }
        }
        return nil
    }

    /// Why no further request may wait; nil if it may.
    var shortage: RequestFailure? {
        if count < limits.waitingRequests, byteCount < limits.waitingRequestBytes { return nil }
        return RequestFailure(
            .tooBig,
            "\(limits.waitingRequests) requests, or \(limits.waitingRequestBytes >> 20) MB of them, already wait at this "
                + "node for the decisions of transactions",
            fix: "wait for the answer to the transaction before you send more",
            limit: .waitingRequests)
    }

    mutating func append(
        _ message: ClientMessage, at locations: [Path], of session: SessionID,
        as principal: Principal, after decidedTime: HybridTime? = nil
    ) {
        let one = Waiting(
            message: message, principal: principal, decidedTime: decidedTime,
            byteCount: 128 + message.estimatedSize)
        queues[session, default: Queue()].append(one, at: locations)
        count += 1
        byteCount += one.byteCount
    }

    /// Removes and returns a session's requests, in order.
    mutating func removeAll(_ session: SessionID) -> [Waiting] {
        guard let queue = queues.removeValue(forKey: session) else { return [] }
        count -= queue.waiting.count
        byteCount -= queue.byteCount
        return queue.waiting
    }

    /// Records that a transaction which a session's requests wait for was done.
    mutating func record(decidedAt time: HybridTime, of session: SessionID) {
        guard let count = queues[session]?.waiting.count else { return }
        for index in 0..<count { queues[session]?.waiting[index].decidedTime = time }
    }
}

extension WaitingRequests.Queue {
    fileprivate mutating func append(_ one: WaitingRequests.Waiting, at locations: [Path]) {
        waiting.append(one)
        byteCount += one.byteCount
        if one.message.stamp != nil { hasStamps = true }
        for location in locations where !self.locations.contains(where: { $0.contains(location) }) {
            self.locations.removeAll { location.contains($0) }
            self.locations.append(location)
        }
    }
}

extension ClientMessage {
    /// About how many bytes its values have.
    package var estimatedSize: Int {
        switch request {
        case .put(let put): put.value.estimatedSize
        case .merge(let merge): merge.writes.estimatedSize
        case .push(let push): push.value.estimatedSize
        case .onDisconnect(let put): put.value.estimatedSize
        case .onDisconnectMerge(let merge): merge.writes.estimatedSize
        default: 0
        }
    }
}

extension [Write] {
    fileprivate var estimatedSize: Int { reduce(0) { $0 + 64 + $1.value.estimatedSize } }
}

import Rules
import SyncProtocol

/// Requests that wait for their session's share of a turn, in the order in which they were sent.
///
/// A session whose turn's share is used up has its further requests wait here. Later turns serve the sessions in turn.
struct DueRequests: Sendable {
    enum Work: Sendable {
        /// The requests of a frame, from a byte on or from the first one.
        case frame([UInt8], from: Int?)
        /// A request, and when the last transaction was decided that it has waited for.
        case request(ClientMessage, after: HybridTime?)
    }

    struct Waiting: Sendable {
        let work: Work
        /// The client's principal when it sent this.
        let principal: Principal
        fileprivate let byteCount: Int

        init(_ work: Work, by principal: Principal) {
            (self.work, self.principal) = (work, principal)
            byteCount =
                switch work {
                case .frame(let frame, let start): 128 + frame.count - (start ?? 0)
                case .request(let message, _): 256 + message.estimatedSize
                }
        }
    }

    private struct Queue: Sendable {
        /// The first ones, in reverse order, and the others behind them.
        var first: [Waiting] = []
        var others: [Waiting] = []
        var byteCount = 0
        /// The work without which the first request cannot be served.
        var need: RequestNeed?
        /// Whether the driver reads nothing more from the session.
        var isUnread = false
    }

    private let limits: ReplicaLimits
    private var queues: [SessionID: Queue] = [:]
    /// The sessions that have requests here, in the order in which they are to be served.
    private(set) var ring: [SessionID] = []
    private(set) var byteCount = 0
    /// Outputs that pause or resume the driver's reading from sessions.
    private var outputs: [Output] = []

    init(within limits: ReplicaLimits) { self.limits = limits }

    var isEmpty: Bool { queues.isEmpty }
    var sessionCount: Int { queues.count }

    func contains(_ session: SessionID) -> Bool { !queues.isEmpty && queues[session] != nil }

    /// Why nothing more of a session may wait; nil if it may. A driver that stops reading in time never gets here.
    func shortage(for session: SessionID) -> RequestFailure? {
        let limit = limits.dueBytesOfSession * DueRequests.excess
        if byteCount < limits.dueBytes, queues[session]?.byteCount ?? 0 < limit { return nil }
        return RequestFailure(
            .tooBig,
            "\(limit >> 20) MB of requests of this connection, or \(limits.dueBytes >> 20) MB of all, "
                + "already wait for their turn",
            fix: "wait for answers before you send more requests", limit: .waitingRequests)
    }

    /// So many times the bytes after which the driver stops reading may wait: one frame may be large, and others may have been
    /// read with it.
    private static let excess = 32

    // MARK: Queues

    /// Adds what a session has sent behind what it has sent before.
    mutating func append(_ waiting: Waiting, of session: SessionID) {
        change(session) { queue in
            queue.others.append(waiting)
            return waiting.byteCount
        }
        let isMuch =
            queues[session]!.byteCount >= limits.dueBytesOfSession
            || byteCount >= limits.dueBytes / 2
        guard isMuch, !queues[session]!.isUnread else { return }
        queues[session]!.isUnread = true
        outputs.append(.pauseReading(session))
    }

    /// Adds what has been sent before everything that waits in its session.
    mutating func prepend(_ requests: [Waiting], of session: SessionID) {
        if requests.isEmpty { return }
        change(session) { queue in
            queue.first += requests.reversed()
            return requests.reduce(0) { $0 + $1.byteCount }
        }
    }

    private mutating func change(_ session: SessionID, _ add: (inout Queue) -> Int) {
        if queues[session] == nil { ring.append(session) }
        let added = add(&queues[session, default: Queue()])
        queues[session]!.byteCount += added
        byteCount += added
    }

    /// Removes and returns what a session has sent first.
    mutating func removeFirst(of session: SessionID) -> Waiting? {
        guard queues[session] != nil else { return nil }
        if queues[session]!.first.isEmpty {
            queues[session]!.first = queues[session]!.others.reversed()
            queues[session]!.others = []
        }
        guard let waiting = queues[session]!.first.popLast() else { return nil }
        queues[session]!.byteCount -= waiting.byteCount
        byteCount -= waiting.byteCount
        return waiting
    }

    /// Removes the queue of a session if it is empty.
    mutating func endIfEmpty(_ session: SessionID) {
        guard let queue = queues[session], queue.first.isEmpty, queue.others.isEmpty
        else { return }
        remove(session)
        if queue.isUnread { outputs.append(.resumeReading(session)) }
    }

    /// Drops all requests of a session.
    mutating func remove(_ session: SessionID) {
        guard let queue = queues.removeValue(forKey: session) else { return }
        byteCount -= queue.byteCount
        ring.removeAll { $0 == session }
    }

    // MARK: Order

    /// Has some sessions be served after all others.
    mutating func moveToEnd(_ served: ArraySlice<SessionID>) {
        if served.count >= ring.count { return }
        let served = Set(served)
        ring = ring.filter { !served.contains($0) } + ring.filter { served.contains($0) }
    }

    // MARK: Needs

    /// The work that the first request of a session waits for.
    func need(of session: SessionID) -> RequestNeed? { queues[session]?.need }

    mutating func setNeed(_ need: RequestNeed?, of session: SessionID) {
        queues[session]?.need = need
    }

    /// The indexes that requests wait for.
    var missingIndexes: Set<ListIndex> { Set(queues.values.compactMap(\.need?.index)) }

    /// Removes and returns the outputs that pause or resume the driver's reading from sessions.
    mutating func takeOutputs() -> [Output] {
        if outputs.isEmpty { return [] }
        defer { outputs = [] }
        return outputs
    }
}

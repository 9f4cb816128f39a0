import DataTree
import QueryEngine
import SyncProtocol

/// The clients of a replica: their listens, what they wait for, and their on-disconnect writes.
///
/// Each call receives a `ReplicationView`, so nothing here can change the clock or the tree. A request that needs
/// more than its session is executed by `Replica`.
struct Sessions: Sendable {
    /// The name of this node.
    let member: String
    let durability: Durability
    /// With more data than about this for one slow client in a turn, its remaining listens wait for another turn.
    let catchUpBytes: Int
    /// Whether a read by an order without a named index is refused.
    private let strictIndexes: Bool
    var listens: Listens
    private(set) var outbox = Outbox()
    var slowClients: SlowClients
    var disconnects = Disconnects()
    var writeConcernWaiters: WriteConcernWaiters
    var stabilityWaiters: StabilityWaiters
    /// Requests that wait for the decision of a transaction of their session.
    var waiting: WaitingRequests
    /// Requests that wait for their session's share of a turn.
    var due: DueRequests
    /// The units of the open turn that each session has used.
    var shares: TurnShares
    /// Whether reads are dropped, since this turn is the last.
    var dropsReads = false
    /// The index that the request needs which is being served; it is served again once the index exists.
    var missingIndex: ListIndex?
    /// Whether it needs a comparison by hashes, which is not complete.
    var awaitsHash = false
    /// The comparisons that the first waiting requests of sessions need; never iterated.
    var hashChecks: [SessionID: HashCheck] = [:]
    /// The hashes of large values.
    var hashes = SharedHashes()
    /// The sessions whose clients are gone, while transactions of theirs are undecided.
    private(set) var leaving: Set<SessionID> = []
    /// Those that were told to connect again, because another node has done on-disconnect writes of theirs.
    var overtaken: Set<SessionID> = []
    /// Those of the leaving ones whose on-disconnect writes wait for a turn that has units for them, in order.
    var ending: [SessionID] = []
    /// The bytes of answers that native clients have not read.
    var unread: UnreadAnswers
    /// The limits of the database, and their use by clients.
    var quota = DatabaseQuota()
    /// The sessions of which these limits refuse many requests.
    var pauses = SessionPauses()
    /// How often limits have refused or delayed something.
    var limits = LimitCounts()
    /// The requests for the log of the node.
    var requests: RequestWatch
    var clients = ClientSessions()
    var access: Access
    var versionDelta = VersionVectorDelta()
    /// Sent at once, even if earlier turns are not durable: it shows no data.
    private var immediate: [Output] = []
    /// When the clients with on-disconnect writes are probed next.
    var nextProbeMilliseconds: UInt64 = 0
    /// When clients whose requests wait are sent a sign of life next.
    var nextReassuranceMilliseconds: UInt64 = 0
    /// Whether a copy of the database is being written for a client.
    var isBackingUp = false
    /// How often the log is being read for clients.
    var logReads = 0
    /// The number of refused requests.
    private(set) var refusedCount: UInt64 = 0

    init(_ configuration: ReplicaConfiguration) {
        member = configuration.member
        durability = configuration.durability
        catchUpBytes = configuration.catchUpBytes
        strictIndexes = configuration.strictIndexes
        access = Access(
            unidentified: configuration.unidentified,
            isOpenWithoutRules: configuration.permitsAllWithoutRules)
        slowClients = SlowClients(
            keptMilliseconds: configuration.keptTreeMilliseconds, within: configuration.limits)
        writeConcernWaiters = WriteConcernWaiters(within: configuration.limits)
        stabilityWaiters = StabilityWaiters(within: configuration.limits)
        waiting = WaitingRequests(within: configuration.limits)
        unread = UnreadAnswers(limit: configuration.limits.unreadAnswerBytes)
        due = DueRequests(within: configuration.limits)
        requests = RequestWatch(slowMilliseconds: configuration.slowMilliseconds)
        shares = TurnShares(within: configuration.limits)
        listens = Listens(
            indexing: configuration.indexes, within: .init(configuration))
    }
}

// MARK: - Answers

extension Sessions {
    /// Adds a message to what this turn sends to its client.
    mutating func send(_ message: NodeMessage, to session: SessionID) {
        requests.recordAnswer(message.requestOfAnswer, of: session)
        if !slowClients.isEmpty, withholdsAnswers(of: session), message.isAnswer {
            return slowClients.postpone(.answer(message), of: session)
        }
        outbox.append(message, to: session)
    }

    /// Adds the children in a query's window, ascending by key.
    mutating func send(
        children: ShownChildren, id: UInt64, to session: SessionID
    ) {
        requests.recordAnswer(id, of: session)
        outbox.append(children: children, id: id, to: session)
    }

    /// Sends a message without waiting until earlier turns are durable.
    mutating func sendAtOnce(_ message: NodeMessage, to session: SessionID) {
        requests.recordAnswer(message.requestOfAnswer, of: session)
        immediate.append(
            isOfValues(session)
                ? .replyMessages(session, [SessionAnswer(message)])
                : .reply(session, message.frame))
    }

    /// Refuses a request.
    mutating func refuse(
        _ code: ErrorCode, _ problem: String, fix: String, _ id: UInt64, _ session: SessionID
    ) {
        countRefusal()
        requests.recordRefusal(code, problem, id, of: session)
        send(.error(id: id, code: code, problem: problem, fix: fix), to: session)
    }

    /// Refuses a request.
    mutating func refuse(_ failure: RequestFailure, _ id: UInt64, _ session: SessionID) {
        if let limit = failure.limit {
            limits.count(limit)
            if limit.isOfDatabase { pauses.recordRefusal(of: session, at: shares.milliseconds) }
        }
        refuse(failure.code, failure.problem, fix: failure.fix, id, session)
    }

    /// Whether the configuration requires a declared index that a query lacks.
    func lacksDemandedIndex(for query: Query, at path: Path) -> Bool {
        strictIndexes && listens.lacksIndex(for: query, at: path)
    }

    /// Counts a request that was refused without an answer.
    mutating func countRefusal() { refusedCount += 1 }

    /// Notifies the listeners of changed locations; `tree` is the tree after one operation.
    ///
    /// - Parameter write: The location of the only write of the operation; nil if it has several.
    mutating func notifyListeners(of changes: [Change], by write: Path?, in tree: Value) {
        let notices = listens.notices(of: changes, by: write, in: tree)
        send(notices)
        shares.spend(listens.takeUpdateCost() / 4)
    }

    /// Sends what listeners are notified of.
    mutating func send(_ notices: [Listens.Notice]) {
        for notice in notices {
            outbox.append(notice, slow: &slowClients)
            shares.spend(notice.listeners.count / 4)
        }
    }

    /// The size of this turn's messages to a client so far.
    func byteCount(for session: SessionID) -> Int { outbox.byteCount(for: session) }

    /// Ends each frame with what it shows; removes and returns all frames of this turn.
    mutating func finishFrames(seeing replica: ReplicationView) -> [Output] {
        versionDelta.record(replica.vector)
        if !clients.isEmpty {
            // Most clients have received all earlier frames, so that their ends are equal.
            var ends: [UInt64: Outbox.End] = [:]
            outbox.finishFrames { session in
                guard !clients.isUnadmitted(session) || !access.isUser(session),
                    let told = clients.advance(session, to: versionDelta.count)
                else { return nil }
                if let end = ends[told] { return end }
                var end = Outbox.End(told: told)
                end.messages.append(
                    NodeMessage.seen(time: replica.time, holds: versionDelta.since(told)))
                ends[told] = end
                return end
            }
        }
        return outbox.removeAll()
    }

    /// Removes and returns what is sent at once.
    mutating func takeImmediate() -> [Output] {
        defer { immediate.removeAll() }
        return immediate
    }
}

// MARK: - Begin and end of a session

extension Sessions {
    /// Begins a session whose answers are values.
    mutating func openSessionOfValues(_ session: SessionID) { outbox.open(session) }

    /// Ends what a client is shown, as it is gone; its requests that wait are still served.
    mutating func leave(_ session: SessionID) {
        leaving.insert(session)
        due.setNeed(nil, of: session)
        removeInterest(of: session)
    }

    /// Whether a request only shows something to a client that is gone, or that this node leaves.
    func isForNobody(_ message: ClientMessage, of session: SessionID) -> Bool {
        guard dropsReads || !leaving.isEmpty && leaving.contains(session) else { return false }
        return switch message.request.kind {
        case .read, .report: true
        case .write, .action: false
        }
    }

    /// Drops the requests that wait in the session of a client that is gone.
    mutating func dropWaiting(ofLeaving session: SessionID) {
        if leaving.contains(session) { _ = waiting.removeAll(session) }
    }

    /// Whether requests of a session wait, for decisions or for their share of a turn.
    func haveRequestsWaiting(of session: SessionID) -> Bool {
        waiting.contains(session) || due.contains(session)
    }

    private mutating func removeInterest(of session: SessionID) {
        listens.removeAll(of: session)
        slowClients.remove(session)
        writeConcernWaiters.removeAll(of: session)
        stabilityWaiters.removeAll(of: session)
    }

    /// Closes a session; returns its on-disconnect writes. Its principal stays known until `Access.forget`.
    mutating func close(_ session: SessionID) -> LeftWrites {
        leaving.remove(session)
        if !overtaken.isEmpty { overtaken.remove(session) }
        removeInterest(of: session)
        _ = waiting.removeAll(session)
        due.remove(session)
        hashChecks[session] = nil
        pauses.remove(session)
        outbox.close(session)
        clients.remove(session)
        requests.close(session)
        return takeDisconnects(of: session)
    }
}

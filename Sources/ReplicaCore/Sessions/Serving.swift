import DataTree
import QueryEngine
import Rules
import SyncProtocol

// Requests that sessions answer from their own state and the tree.

extension Sessions {
    /// Refuses or postpones a request that its session or its user may not make now.
    ///
    /// - Returns: Whether it did; otherwise the request has to be executed.
    mutating func intercept(
        _ message: ClientMessage, of session: SessionID, seeing replica: ReplicationView
    ) -> Bool {
        if refusesAhead(message, of: session) { return true }
        if postponesRead(message, of: session) { return true }
        guard let user = access.user(of: session),
            let failure = refusal(of: message.request, by: user, seeing: replica)
        else { return false }
        refuse(failure, message.id, session)
        return true
    }

    /// Answers a request that shows a part of the tree once, immediately or after it was postponed. Each such request has its
    /// case here.
    ///
    /// - Returns: false for a request without a case here.
    @discardableResult
    mutating func read(
        _ request: ClientRequest, _ id: UInt64, _ session: SessionID, in replica: ReplicationView
    ) -> Bool {
        switch request {
        case .get(let get): self.get(get, id, session, in: replica)
        case .children(let children): list(children, id, session, in: replica)
        default: return false
        }
        return true
    }

    private mutating func list(
        _ children: ChildrenRequest, _ id: UInt64, _ session: SessionID,
        in replica: ReplicationView
    ) {
        clients.admit(session)
        if refuseIfOverloaded(id, session) { return }
        let listing = ChildListing(
            of: replica.tree[children.path], from: children.from, limit: children.limit)
        send(.value(id: id, value: listing.value), to: session)
    }

    mutating func get(
        _ get: GetRequest, _ id: UInt64, _ session: SessionID, in replica: ReplicationView
    ) {
        let (path, query) = (get.path, get.query)
        clients.admit(session)
        if refuseIfOverloaded(id, session) { return }
        if lacksDemandedIndex(for: query, at: path) {
            return refuse(.unindexed(query.order, of: path), id, session)
        }
        guard query.isFiltered || get.skip > 0 else {
            let value = replica.tree[path]
            if let failure = refusal(ofAnswer: value, to: session) {
                return refuse(failure, id, session)
            }
            return send(.value(id: id, value: value), to: session)
        }
        missingIndex = listens.missingIndex(for: query, at: path, in: replica.tree)
        if missingIndex != nil { return }
        let children = listens.results(
            of: query, skipping: get.skip, at: path, in: replica.tree,
            at: replica.now.elapsedMilliseconds)
        shares.spend(children.count / 4)
        if let failure = refusal(ofAnswer: children.value, to: session) {
            return refuse(failure, id, session)
        }
        send(children: children, id: id, to: session)
    }

    /// Refuses a request for data from a client that has requested much in this turn already. A few bytes may
    /// request the whole tree, and a frame has room for millions of such requests.
    ///
    /// - Returns: Whether the request is refused.
    mutating func refuseIfOverloaded(_ id: UInt64, _ session: SessionID) -> Bool {
        let bytes = byteCount(for: session)
        if bytes > Sessions.answersLimit {
            let failure = RequestFailure(
                .tooBig, "the answers before this one have \(Sessions.answersLimit >> 20) MB",
                fix: "wait for answers before you send more requests", limit: .unreadAnswers)
            refuse(failure, id, session)
            return true
        }
        guard bytes > 0, bytes > unread.largestSession else { return false }
        refuse(unread.refusal, id, session)
        return true
    }

    /// Why a value is not shown; nil if it is: the database permits no answer of its size, or unread answers leave no room for it.
    /// Answers of sessions of values need no room, because they are read out of snapshots.
    private mutating func refusal(
        ofAnswer value: @autoclosure () -> Value, to session: SessionID
    ) -> RequestFailure? {
        if let refusal = quota.refusal(ofAnswer: value()) {
            shares.spend(TurnShares.refusedAnswerUnits)
            return refusal
        }
        guard let largest = unread.largestAnswer, !isOfValues(session),
            value().isLarger(than: largest)
        else { return nil }
        return unread.refusal
    }

    /// With more bytes than this to one client in one turn, it gets no more data.
    private static let answersLimit = 16 << 20
    /// The number of listens of one session, which each lookup may visit.
    private static let listensLimit = 10_000

    mutating func listen(
        _ listen: ListenRequest, _ id: UInt64, _ session: SessionID, in replica: ReplicationView
    ) {
        let grant: ReadGrant?
        do throws(RequestFailure) {
            grant = try self.grant(of: listen, to: session, seeing: replica)
        } catch {
            return refuse(error, id, session)
        }
        clients.admit(session)
        if refuseIfOverloaded(id, session) { return }
        guard listens.count(of: session) < Sessions.listensLimit else {
            return refuse(
                .tooBig, "this connection has \(Sessions.listensLimit) listens",
                fix: "end some, or listen further up in the tree", id, session)
        }
        let listener = Listens.Listener(session: session, id: id)
        guard !listens.contains(listener) else {
            return refuse(
                .invalid, "a listen with the id \(id) exists already",
                fix: "use another id for each listen of a connection", id, session)
        }
        if lacksDemandedIndex(for: listen.query, at: listen.path) {
            return refuse(.unindexed(listen.query.order, of: listen.path), id, session)
        }
        if listen.query.isFiltered {
            missingIndex = listens.missingIndex(
                for: listen.query, at: listen.path, in: replica.tree)
            if missingIndex != nil { return }
        }
        shares.spend(TurnShares.listenUnits)
        let shown = listens.add(
            listener, to: listen.query, at: listen.path, in: replica.tree,
            at: replica.now.elapsedMilliseconds)
        if listen.query.isFiltered { shares.spend(shown.children.count / 4) }
        if let failure = refusal(ofAnswer: shown, to: session) {
            _ = listens.remove(listener)
            return refuse(failure, id, session)
        }
        var check: HashCheck?
        if let held = listen.held {
            check = hashCheck(
                for: id, session, held.hash, held.ranges, with: shown, at: listen.path,
                // Firebase's clients, which alone round numbers, have sessions of values.
                isRounded: isOfValues(session))
            guard check != nil else {
                _ = listens.remove(listener)
                return
            }
        }
        if let grant { access.grants.set(grant, of: listener) }
        send(.ok(id: id), to: session)
        if !slowClients.isEmpty, slowClients.holdsBackFirst(of: listener) { return }
        for message in first(of: id, showing: shown, after: check, in: session) {
            send(message, to: session)
        }
    }

    /// The first messages of a listen: what its client lacks of the value with which its data were compared, and then what has
    /// changed since. A session of values receives no range without a value.
    private mutating func first(
        of id: UInt64, showing shown: Value, after check: HashCheck?, in session: SessionID
    ) -> [NodeMessage] {
        let whole = NodeMessage.change(listen: id, writes: [Write(path: .root, value: shown)])
        let first: NodeMessage
        switch check?.outcome {
        case .equal: first = .change(listen: id, writes: [])
        case .different(let ranges?):
            shares.spend(ranges.reduce(0) { $0 + $1.writes.count } / 2)
            if isOfValues(session), ranges.contains(where: \.lacksValue) { return [whole] }
            first = .ranges(listen: id, ranges: ranges)
        case .different(nil), nil: return [whole]
        }
        guard let check, !shown.isShared(with: check.value) else { return [first] }
        let later = shown.differences(from: check.value)
        return later.isEmpty ? [first] : [first, .change(listen: id, writes: later)]
    }

    mutating func unlisten(_ listen: UInt64, _ id: UInt64, _ session: SessionID) {
        let listener = Listens.Listener(session: session, id: listen)
        slowClients.remove(listener)
        access.grants.remove(listener)
        guard listens.remove(listener) else {
            return refuse(
                .invalid, "there is no listen with the id \(listen)",
                fix: "use the id of an open listen", id, session)
        }
        send(.ok(id: id), to: session)
    }
}

extension NodeMessage {
    /// The answer to `ping`: the time.
    static func pong(_ id: UInt64, at now: Moment) -> NodeMessage {
        .value(id: id, value: .integer(Int64(clamping: now.wallMilliseconds)))
    }
}

extension ChangedRange {
    /// Whether it has a priority without the rest of its location.
    fileprivate var lacksValue: Bool {
        writes.contains { $0.path.isOfPriority } && value == nil
    }
}

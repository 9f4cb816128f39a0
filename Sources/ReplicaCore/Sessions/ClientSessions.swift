import SyncProtocol

/// The clients that said hello: native ones, which stamp their own writes, and require each frame to say
/// what it shows.
struct ClientSessions: Sendable {
    /// How long a client that has seen more elsewhere waits for this replica to catch up.
    static let patienceMilliseconds: UInt64 = 700

    /// A client that has seen operations that this replica does not hold.
    struct Waiting: Sendable {
        let session: SessionID
        let id: UInt64
        let seen: VersionVector
        let untilMilliseconds: UInt64
    }

    /// The version vector that each client knows, as a count of `VersionVectorDelta`.
    private var told: [SessionID: UInt64] = [:]
    /// Users to which the rules have permitted nothing yet. They learn nothing about the data of the node.
    private var unadmitted: Set<SessionID> = []
    /// Sessions with a refused stamp, and whether it is certain that no node executed the write with the first one.
    /// Their later writes are refused too, so that a client's writes take effect in order.
    private var halted: [SessionID: Bool] = [:]
    /// Sessions whose clients have seen operations that this replica has lost. They see nothing before their next
    /// hello.
    private var ahead: Set<SessionID> = []
    private(set) var waiting: [Waiting] = []

    var isEmpty: Bool { told.isEmpty }
    var count: Int { told.count }

    func told(_ id: SessionID) -> UInt64? { told[id] }

    /// Whether a client is a user to which the rules have permitted nothing yet.
    func isUnadmitted(_ id: SessionID) -> Bool { !unadmitted.isEmpty && unadmitted.contains(id) }

    /// Has a user's frames say what they show from here on, since the rules have permitted a request.
    mutating func admit(_ id: SessionID) {
        if !unadmitted.isEmpty { unadmitted.remove(id) }
    }

    /// Has a client know the version vector through a count; returns the count before, if it was less.
    mutating func advance(_ id: SessionID, to count: UInt64) -> UInt64? {
        guard let index = told.index(forKey: id) else { return nil }
        let before = told.values[index]
        guard before < count else { return nil }
        told.values[index] = count
        return before
    }

    func isHalted(_ id: SessionID) -> Bool { halted[id] != nil }

    /// Whether a session is halted by a write that no node has done: then none has done what its client sent after it.
    func isHaltedForGood(_ id: SessionID) -> Bool { halted[id] == true }

    mutating func halt(_ id: SessionID, isDecided: Bool) {
        if halted[id] == nil { halted[id] = isDecided }
    }

    /// Halts the session of a native client; any other client, of REST for example, never says the hello that ends this.
    mutating func haltIfGreeted(_ id: SessionID) {
        if told(id) != nil { halt(id, isDecided: false) }
    }

    func isAhead(_ id: SessionID) -> Bool { !ahead.isEmpty && ahead.contains(id) }

    /// Ends all sessions until their next hello. Returns them, ascending, each with the version that it knows, if
    /// the rules have permitted it anything.
    mutating func endAll() -> [(SessionID, told: UInt64?)] {
        let ended = told.sorted { $0.key < $1.key }.map { id, count in
            (id, told: isUnadmitted(id) ? nil : count)
        }
        for (id, _) in ended {
            remove(id)
            ahead.insert(id)
        }
        return ended
    }

    mutating func begin(_ id: SessionID, told count: UInt64) {
        told[id] = count
        unadmitted.remove(id)
        halted[id] = nil
        ahead.remove(id)
    }

    /// Begins the session of a user to which the rules have permitted nothing.
    mutating func begin(unadmitted id: SessionID) {
        begin(id, told: 0)
        unadmitted.insert(id)
    }

    mutating func wait(_ client: Waiting) {
        waiting.removeAll { $0.session == client.session }
        waiting.append(client)
    }

    /// Removes and returns the clients that no longer need to wait, or have waited long enough.
    mutating func takeWaiting(where isOver: (Waiting) -> Bool) -> [Waiting] {
        if waiting.isEmpty { return [] }
        let taken = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        return taken
    }

    mutating func remove(_ id: SessionID) {
        told[id] = nil
        unadmitted.remove(id)
        halted[id] = nil
        ahead.remove(id)
        if !waiting.isEmpty { waiting.removeAll { $0.session == id } }
    }
}

extension Sessions {
    static let haltedProblem = "a write before this one was refused because of its stamp"

    /// Throws for a session's writes after one whose stamp was refused.
    ///
    /// - Parameter isNamed: Whether another node, which may have done the refused write, may know this one.
    func checkHalted(_ session: SessionID, isNamed: Bool = false) throws(RequestFailure) {
        guard clients.isHalted(session) else { return }
        throw RequestFailure(
            isNamed && !clients.isHaltedForGood(session) ? .undecided : .late,
            Sessions.haltedProblem, fix: "send \"hello\", then the write again")
    }

    /// Accepts a client that says hello, once this replica holds what the client has seen elsewhere.
    mutating func greet(
        _ seen: VersionVector, _ id: UInt64, _ session: SessionID, seeing replica: ReplicationView
    ) {
        if refuseIfOverloaded(id, session) { return }
        let client = ClientSessions.Waiting(
            session: session, id: id, seen: seen,
            untilMilliseconds: replica.now.elapsedMilliseconds
                + ClientSessions.patienceMilliseconds)
        if replica.shows(seen) {
            welcome(client, seeing: replica)
        } else {
            clients.wait(client)
        }
    }

    private mutating func welcome(
        _ client: ClientSessions.Waiting, seeing replica: ReplicationView
    ) {
        let isUser = access.isUser(client.session)
        if isUser {
            clients.begin(unadmitted: client.session)
        } else {
            clients.begin(client.session, told: versionDelta.count)
        }
        send(
            .ready(
                id: client.id, member: isUser ? "" : member,
                wallMilliseconds: replica.now.wallMilliseconds, time: replica.time,
                holds: isUser ? VersionVector() : replica.vector),
            to: client.session)
    }

    /// Welcomes the clients with which this replica has caught up.
    ///
    /// - Returns: The clients that have waited long enough, so that they receive the missing versions as the
    ///   reason.
    mutating func welcomeWaiting(seeing replica: ReplicationView) -> [ClientSessions.Waiting] {
        for client in clients.takeWaiting(where: { replica.shows($0.seen) }) {
            welcome(client, seeing: replica)
        }
        // Nothing is missing if the tree only does not show it yet.
        return clients.takeWaiting {
            replica.now.elapsedMilliseconds >= $0.untilMilliseconds
                && !replica.vector.covers($0.seen)
        }
    }

    /// Tells a client that has waited long enough what this node misses.
    mutating func refuse(_ client: ClientSessions.Waiting, missing names: [String]) {
        let isUser = access.isUser(client.session)
        let problem =
            isUser
            ? "this node lacks operations that this client has seen"
            : "\(member) lacks operations that this client has seen, of "
                + names.joined(separator: ", ")
        refuse(
            .behind, problem,
            fix: "wait until the nodes are connected again, or use the previous node",
            client.id, client.session)
    }
}

// MARK: - Sessions that end because their node holds less than before

extension Sessions {
    /// Ends the sessions of clients that said hello, because an evicted replica discards operations that they may
    /// have seen. The clients are notified after all earlier messages.
    ///
    /// - Parameter replica: The replica before that.
    mutating func endSessions(seeing replica: ReplicationView) {
        versionDelta.record(replica.vector)
        for (session, told) in clients.endAll() {
            listens.removeAll(of: session)
            slowClients.remove(session)
            stabilityWaiters.removeAll(of: session)
            if let told {
                send(.seen(time: replica.time, holds: versionDelta.since(told)), to: session)
            }
            refuseAhead(0, session)
        }
    }

    /// Refuses a request of a client that has seen more than this replica holds, unless it says hello.
    ///
    /// - Returns: Whether it is refused.
    mutating func refusesAhead(_ message: ClientMessage, of session: SessionID) -> Bool {
        guard clients.isAhead(session) else { return false }
        if case .hello = message.request { return false }
        refuseAhead(message.id, session)
        return true
    }

    private mutating func refuseAhead(_ id: UInt64, _ session: SessionID) {
        let node = access.isUser(session) ? "this node" : member
        refuse(
            .behind, "\(node) was evicted, and lacks operations that this client has seen",
            fix: "connect to another node, or send \"hello\" to \(node) again", id, session)
    }
}

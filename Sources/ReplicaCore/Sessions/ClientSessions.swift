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

    /// What each client was told of the version vector, as a count of `VersionVectorDelta`.
    private var told: [SessionID: UInt64] = [:]
    /// Sessions with a refused stamp: their later writes are refused too, so that a client's writes are
    /// done in order.
    private var halted: Set<SessionID> = []
    private(set) var waiting: [Waiting] = []

    var isEmpty: Bool { told.isEmpty }
    var count: Int { told.count }

    func told(_ id: SessionID) -> UInt64? { told[id] }

    mutating func tell(_ id: SessionID, through count: UInt64) { told[id] = count }

    func isHalted(_ id: SessionID) -> Bool { halted.contains(id) }

    mutating func halt(_ id: SessionID) { halted.insert(id) }

    /// Halts the session of a native client; any other client, of REST for example, never says the hello that ends this.
    mutating func haltIfGreeted(_ id: SessionID) {
        if told(id) != nil { halt(id) }
    }

    mutating func begin(_ id: SessionID, told count: UInt64) {
        told[id] = count
        halted.remove(id)
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
        halted.remove(id)
        if !waiting.isEmpty { waiting.removeAll { $0.session == id } }
    }
}

extension Sessions {
    static let haltedProblem = "a write before this one was refused because of its stamp"

    /// Throws for a session's writes after one whose stamp was refused.
    func checkHalted(_ session: SessionID) throws(RequestFailure) {
        guard clients.isHalted(session) else { return }
        throw RequestFailure(
            .late, Sessions.haltedProblem, fix: "send \"hello\", then the write again")
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
        if replica.vector.covers(seen) {
            welcome(client, seeing: replica)
        } else {
            clients.wait(client)
        }
    }

    private mutating func welcome(
        _ client: ClientSessions.Waiting, seeing replica: ReplicationView
    ) {
        clients.begin(client.session, told: versionDelta.count)
        send(
            .ready(
                id: client.id, member: member, wallMilliseconds: replica.now.wallMilliseconds,
                time: replica.time, holds: replica.vector),
            to: client.session)
    }

    /// Welcomes the clients with which this replica has caught up.
    ///
    /// - Returns: The clients that have waited long enough, to be told what is missing.
    mutating func welcomeWaiting(seeing replica: ReplicationView) -> [ClientSessions.Waiting] {
        for client in clients.takeWaiting(where: { replica.vector.covers($0.seen) }) {
            welcome(client, seeing: replica)
        }
        return clients.takeWaiting {
            replica.now.elapsedMilliseconds >= $0.untilMilliseconds
        }
    }

    /// Tells a client that has waited long enough what this node misses.
    mutating func refuse(_ client: ClientSessions.Waiting, missing names: [String]) {
        refuse(
            .behind,
            "\(member) does not hold yet what this client has seen of "
                + names.joined(separator: ", "),
            fix: "wait until the nodes are connected again, or ask the node it was seen at",
            client.id, client.session)
    }
}

import SyncProtocol

/// What this replica knows of the clients that said hello: native ones, which stamp their own writes, and
/// want each frame to say what it shows.
struct ClientSessions: Sendable {
    /// How long a client that has seen more elsewhere is kept waiting.
    static let patienceMilliseconds: UInt64 = 700

    /// A client that has seen more than is held here.
    struct Waiting: Sendable {
        let session: SessionID
        let id: UInt64
        let seen: VersionVector
        let untilMilliseconds: UInt64
    }

    /// How much each was told, as `Advances` counts.
    private var told: [SessionID: UInt64] = [:]
    /// A stamp of these was refused: those behind it are, too, so that what a client asked for first is
    /// done first, or with it.
    private var halted: Set<SessionID> = []
    private(set) var waiting: [Waiting] = []

    var isEmpty: Bool { told.isEmpty }
    var count: Int { told.count }

    func told(_ id: SessionID) -> UInt64? { told[id] }

    mutating func tell(_ id: SessionID, through count: UInt64) { told[id] = count }

    func isHalted(_ id: SessionID) -> Bool { halted.contains(id) }

    mutating func halt(_ id: SessionID) { halted.insert(id) }

    mutating func begin(_ id: SessionID, told count: UInt64) {
        told[id] = count
        halted.remove(id)
    }

    mutating func wait(_ client: Waiting) {
        waiting.removeAll { $0.session == client.session }
        waiting.append(client)
    }

    /// Takes those whose waiting is over, one way or the other.
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

/// The origins of a vector in the order in which they advanced last.
///
/// A vector names every writer that ever was; what is new in it since some moment are a few.
struct VersionVectorDelta: Sendable {
    private var vector = VersionVector()
    /// Ascending by count.
    private var origins: [(origin: WriterID, count: UInt64)] = []
    /// Counts the turns in which something advanced.
    private(set) var count: UInt64 = 0

    mutating func note(_ new: VersionVector) {
        guard new != vector else { return }
        count += 1
        for (origin, _) in new.advanced(beyond: vector).entries {
            if let index = origins.lastIndex(where: { $0.origin == origin }) {
                origins.remove(at: index)
            }
            origins.append((origin, count))
        }
        vector = new
    }

    /// What has advanced since a count.
    func since(_ told: UInt64) -> VersionVector {
        var advanced = VersionVector()
        for (origin, count) in origins.reversed() {
            if count <= told { break }
            advanced[origin] = vector[origin]
        }
        return advanced
    }
}

extension Replica {
    /// Takes a client that says hello, once this replica holds what it has seen elsewhere.
    mutating func greet(_ seen: VersionVector, _ id: UInt64, _ session: SessionID) {
        guard hasRoom(id, session) else { return }
        let client = ClientSessions.Waiting(
            session: session, id: id, seen: seen,
            untilMilliseconds: now.elapsedMilliseconds + ClientSessions.patienceMilliseconds)
        if vector.covers(seen) {
            welcome(client)
        } else {
            clientSessions.wait(client)
        }
    }

    private mutating func welcome(_ client: ClientSessions.Waiting) {
        clientSessions.begin(client.session, told: versionDelta.count)
        outbox.append(
            .ready(
                id: client.id, member: configuration.member,
                wallMilliseconds: now.wallMilliseconds, time: clock.last, holds: vector),
            to: client.session)
    }

    /// Answers the clients that this replica has caught up with, and those that waited long enough.
    mutating func answerWaitingClients() {
        let vector = vector
        for client in clientSessions.takeWaiting(where: { vector.covers($0.seen) }) {
            welcome(client)
        }
        let now = now.elapsedMilliseconds
        for client in clientSessions.takeWaiting(where: { now >= $0.untilMilliseconds }) {
            let missing = client.seen.advanced(beyond: vector)
            let names = missing.entries.map { name(of: $0.origin) }.prefix(3)
            refuse(
                .behind,
                "\(configuration.member) does not hold yet what this client has seen of "
                    + names.joined(separator: ", "),
                fix: "wait until the nodes are connected alias, or ask the node it was seen at",
                client.id, client.session)
        }
    }

    /// Ends each frame with what its client sees by it.
    mutating func tellWhatIsSeen() {
        versionDelta.note(vector)
        if clientSessions.isEmpty { return }
        outbox.finishFrames { session, frame in
            guard let told = clientSessions.told(session), told < versionDelta.count else { return }
            clientSessions.tell(session, through: versionDelta.count)
            frame.append(NodeMessage.seen(time: clock.last, holds: versionDelta.since(told)))
        }
    }
}

internal import ReplicaCore
internal import SyncProtocol

/// One client of a node.
struct Client {
    let session: SessionID
    let name: RoutingID
    let routingID: [UInt8]
    /// The last turn in which it sent or was sent a frame.
    var lastTurn: UInt64
    /// Frames that did not fit into its queue.
    var waiting: [[UInt8]] = []
    var waitingBytes = 0
    /// Whether so much waited that its listens pause.
    var isBackpressured = false
    /// Whether the session is over, and only its goodbye still waits.
    var isEnded = false
}

/// The clients of a node's ZeroMQ port, by their routing ids.
struct ClientTable {
    static let limit = 10_000
    /// How many idle clients are dropped at once when the limit is reached, so that new clients rarely wait.
    private static let evictedAtOnce = 100

    private var sessions: [RoutingID: SessionID] = [:]
    private var clients = SessionTable<Client>()
    private var nextProbed = 0

    var count: Int { clients.count }

    /// The session of a client; nil if it is new.
    mutating func session(of name: RoutingID, turn: UInt64) -> SessionID? {
        guard let session = sessions[name] else { return nil }
        clients.update(session) { $0.lastTurn = turn }
        return session
    }

    /// Adds a client; there must be room.
    mutating func add(
        _ name: RoutingID, _ routingID: UnsafeRawBufferPointer, turn: UInt64
    ) -> SessionID {
        precondition(count < Self.limit, "a node has at most \(Self.limit) clients")
        let session = clients.add {
            Client(session: $0, name: name, routingID: Array(routingID), lastTurn: turn)
        }
        sessions[name] = session
        return session
    }

    /// The client of a session, or nil if it is gone.
    subscript(session: SessionID) -> Client? { clients[session] }

    /// Changes the client of a session.
    mutating func update(_ session: SessionID, _ body: (inout Client) -> Void) {
        clients.update(session, body)
    }

    mutating func remove(_ session: SessionID) {
        if let client = clients.remove(session) { sessions[client.name] = nil }
    }

    /// The clients that were idle longest, to make room for others.
    func idlest() -> [SessionID] {
        let idle = clients.all.sorted { $0.lastTurn < $1.lastTurn }
        return idle.prefix(Self.evictedAtOnce).map(\.session)
    }

    /// Up to `limit` clients that were idle since a turn, each time others.
    mutating func silent(since turn: UInt64, limit: Int) -> [Client] {
        var silent: [Client] = []
        for _ in 0..<clients.placeCount where silent.count < limit {
            nextProbed = (nextProbed + 1) % clients.placeCount
            guard let client = clients.entry(atPlace: nextProbed), client.lastTurn < turn,
                !client.isEnded
            else { continue }
            silent.append(client)
        }
        return silent
    }
}

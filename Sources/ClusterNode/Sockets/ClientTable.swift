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

/// Numbers the clients of a node by their routing ids.
///
/// A session's number has the place of its client in the low 16 bits, so that a lookup is one step; above
/// them a serial number, so that no number is used twice.
struct ClientTable {
    static let limit = 10_000
    /// How many idle clients are dropped at once when the limit is reached, so that new clients rarely wait.
    private static let evictedAtOnce = 100

    private var places: [RoutingID: Int] = [:]
    private var clients: [Client?] = []
    private var freePlaces: [Int] = []
    private var lastSerial: UInt64 = 0
    private var nextProbed = 0

    var count: Int { places.count }

    /// The session of a client; nil if it is new.
    mutating func session(of name: RoutingID, turn: UInt64) -> SessionID? {
        guard let place = places[name] else { return nil }
        clients[place]?.lastTurn = turn
        return clients[place]?.session
    }

    /// Adds a client; there must be room.
    mutating func add(
        _ name: RoutingID, _ routingID: UnsafeRawBufferPointer, turn: UInt64
    ) -> SessionID {
        precondition(count < Self.limit, "a node has at most \(Self.limit) clients")
        if freePlaces.isEmpty {
            freePlaces.append(clients.count)
            clients.append(nil)
        }
        let place = freePlaces.removeLast()
        lastSerial += 1
        let session = SessionID(number: lastSerial << 16 | UInt64(place))
        clients[place] = Client(
            session: session, name: name, routingID: Array(routingID), lastTurn: turn)
        places[name] = place
        return session
    }

    /// The client of a session, or nil if it is gone.
    subscript(session: SessionID) -> Client? {
        get {
            let place = Self.place(of: session)
            guard place < clients.count, let client = clients[place], client.session == session
            else { return nil }
            return client
        }
        _modify {
            let place = Self.place(of: session)
            precondition(clients[place]?.session == session, "session \(session) is gone")
            yield &clients[place]
        }
    }

    mutating func remove(_ session: SessionID) {
        guard let client = self[session] else { return }
        let place = Self.place(of: session)
        places[client.name] = nil
        clients[place] = nil
        freePlaces.append(place)
    }

    /// The clients that were idle longest, to make room for others.
    func idlest() -> [SessionID] {
        let idle = clients.compactMap { $0 }.sorted { $0.lastTurn < $1.lastTurn }
        return idle.prefix(Self.evictedAtOnce).map(\.session)
    }

    /// Up to `limit` clients that were idle since a turn, each time others.
    mutating func silent(since turn: UInt64, limit: Int) -> [Client] {
        var silent: [Client] = []
        for _ in clients.indices where silent.count < limit {
            nextProbed = (nextProbed + 1) % clients.count
            guard let client = clients[nextProbed], client.lastTurn < turn, !client.isEnded
            else { continue }
            silent.append(client)
        }
        return silent
    }

    private static func place(of session: SessionID) -> Int { Int(session.number & 0xFFFF) }
}

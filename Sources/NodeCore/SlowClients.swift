internal import SyncProtocol

/// The clients that read slowly, with the bytes that wait for each of them, and their limits.
struct SlowClients {
    /// A change of a client, of which the gateway or the replica learns.
    enum Change {
        /// Much waits for the client: its listens pause.
        case backpressured
        /// Everything has been sent.
        case writable
    }

    struct Client {
        var bytes = 0
        var isBackpressured = false
        /// Whether the gateway waits until everything is sent.
        var awaitsRoom = false
    }

    /// A client for which more waits is disconnected before it is sent another message. One message may be larger.
    private static let clientLimit = 16 << 20

    /// If more waits for a client, its listens pause.
    private let backpressureBytes: Int
    /// If more waits for all clients together, those end for which most waits.
    private let limit: Int
    private var clients: [SessionID: Client] = [:]
    /// The bytes that wait for all clients.
    private(set) var bytes = 0

    init(pausedAbove backpressureBytes: Int, limit: Int) {
        (self.backpressureBytes, self.limit) = (backpressureBytes, limit)
    }

    /// Records the bytes that wait for a client; returns the change that follows.
    mutating func record(_ bytes: Int, of session: SessionID) -> Change? {
        if bytes == 0, clients.isEmpty { return nil }
        var client = remove(session) ?? Client()
        let isReleased = bytes == 0 && (client.isBackpressured || client.awaitsRoom)
        let isPaused = bytes > backpressureBytes && !client.isBackpressured
        guard bytes > 0 else { return isReleased ? .writable : nil }
        client.bytes = bytes
        if isPaused { client.isBackpressured = true }
        add(client, session)
        return isPaused ? .backpressured : nil
    }

    /// Has the next record without bytes count as a change.
    mutating func awaitRoom(of session: SessionID) {
        clients[session, default: Client()].awaitsRoom = true
    }

    /// Whether a client may be sent another message.
    func admits(_ session: SessionID) -> Bool {
        clients.isEmpty || clients[session].map { $0.bytes <= SlowClients.clientLimit } ?? true
    }

    /// Removes and returns the clients for which most waits, until little enough waits for the others.
    mutating func removeSlowest() -> [SessionID] {
        guard bytes > limit else { return [] }
        let slowest = clients.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }
        var removed: [SessionID] = []
        for (session, _) in slowest where bytes > limit {
            remove(session)
            removed.append(session)
        }
        return removed
    }

    private mutating func add(_ client: Client, _ session: SessionID) {
        clients[session] = client
        bytes += client.bytes
    }

    /// Removes a client that is gone.
    @discardableResult
    mutating func remove(_ session: SessionID) -> Client? {
        guard !clients.isEmpty, let client = clients.removeValue(forKey: session) else {
            return nil
        }
        bytes -= client.bytes
        return client
    }
}

internal import ClusterConfiguration
internal import EventLoop
internal import GatewayCore
internal import ReplicaCore
internal import SyncProtocol

/// Where a node's clients come in: the HTTP port, or where nodes have keys, an encrypted ZeroMQ port.
protocol ClientDoor: AnyObject {
    /// The clients that are connected.
    var count: Int { get }
    /// What waits for slow clients, in bytes.
    var waitingBytes: Int { get }
    /// Sessions that ended because their client read too slowly.
    var slowClients: Int { get }
    /// Replies whose client was gone.
    var droppedReplies: Int { get }
    /// While paused, frames of clients wait at their side.
    var isPaused: Bool { get set }
    /// Whether the node serves, and if not, why.
    var availability: Availability { get set }

    /// Begins to hand over the frames of clients, and the changes of their state. A door that can tell clients that the node does
    /// not serve yet listens from now on.
    ///
    /// - Throws: when another process has the endpoint.
    func open(at endpoint: String, receive: @escaping (Input) -> Void) throws(NodeError)
    /// Admits clients, if `open` does not.
    ///
    /// - Throws: when another process has the endpoint.
    func admit(at endpoint: String) throws(NodeError)
    /// Sends a frame to a client, at the end of the turn at the latest.
    func reply(_ frame: [UInt8], to session: SessionID)
    /// Answers a session of values.
    func answer(_ answers: [SessionAnswer], to session: SessionID)
    /// Counts how long a turn took.
    func countTurn(nanoseconds: UInt64)
    /// Sends what the turn has brought.
    func endTurn()
    /// Once a second: looks for clients that are gone, or take too long.
    func tick()
    /// Receives nothing more; replies still leave.
    func stopReceiving()
    /// Sends what waits, for a moment, and closes all connections. The loop does nothing else any more.
    func close()
}

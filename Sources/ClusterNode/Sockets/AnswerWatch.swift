internal import CRuntime
internal import ZeroMQ

/// Finds out that a peer no longer reads the requests of a connection, or refuses the key of this node.
///
/// A ROUTER gives a routing ID to the newest connection that claims it, such as that of a second node with the name. It
/// leaves the older connection open and reads nothing from it, even after the newer one has ended. Neither TCP nor ZeroMQ
/// reports that at the other end, so the request that gets no answer is the only sign.
final class AnswerWatch {
    /// A connection is useless if nothing arrives on it for this long while a request waits.
    static let patienceSeconds = 3

    private let monitor: ConnectionMonitor
    private var descriptor: Int32?
    private var receivedBytes: Int64 = 0
    /// Since when a request waits for an answer; nil if none does.
    private var waitingSeconds: Int?
    /// Whether the peer has refused the key of this node, and has not answered since.
    private(set) var refusesKey = false

    /// Watches the connection of a dealer; before the dealer connects.
    init(of dealer: Socket, to peer: String, in context: Context) throws(ZeroMQError) {
        monitor = try dealer.monitorConnections(as: "answers-\(peer)", in: context)
    }

    func recordRequest() {
        if waitingSeconds == nil { waitingSeconds = 0 }
    }

    func recordAnswer() {
        waitingSeconds = nil
        refusesKey = false
    }

    /// Once a second: returns whether the connection should be made again.
    ///
    /// The bytes count, since a large answer may take long to arrive.
    func tick() -> Bool {
        followConnection()
        let bytes = descriptor.map { hearth_received_bytes($0) } ?? 0
        if bytes != receivedBytes, waitingSeconds != nil { waitingSeconds = 0 }
        receivedBytes = bytes
        guard let seconds = waitingSeconds else { return false }
        let isUseless = seconds >= Self.patienceSeconds
        waitingSeconds = isUseless ? nil : seconds + 1
        return isUseless
    }

    private func followConnection() {
        monitor.drain { event in
            switch event {
            case .connected(let descriptor): self.descriptor = descriptor
            case .refused: refusesKey = true
            case .ended(let descriptor) where descriptor == self.descriptor:
                self.descriptor = nil
                waitingSeconds = nil
            default: break
            }
        }
    }
}

internal import ClusterConfiguration
internal import Hearth
internal import SyncProtocol
internal import ZeroMQ

/// A connection over which a probe sends one request to a node.
enum ProbeConnection {
    case http(NodeSocket)
    case keyed(Socket)

    /// Begins to connect.
    init(
        to address: NodeAddress, as keys: KeyPair?, in context: Context
    ) throws(NodeError) {
        switch address {
        case .http(let address): self = .http(try NodeSocket(to: address))
        case .keyed(let address):
            do throws(ZeroMQError) {
                let socket = try Socket(.dealer, in: context)
                socket.linger = .zero
                try socket.connect(address, as: keys)
                self = .keyed(socket)
            } catch {
                throw NodeError(error)
            }
        }
    }

    func send(_ frame: [UInt8]) {
        switch self {
        case .http(let socket): socket.send(frame)
        case .keyed(let socket): socket.send(frame)
        }
    }

    /// The next frame; nil if none comes in time.
    func frame(until deadline: ContinuousClock.Instant) -> [UInt8]? {
        switch self {
        case .http(let socket): return socket.frame(until: deadline)
        case .keyed(let socket):
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            return socket.wait(upTo: rest) ? socket.receive()?[0] : nil
        }
    }
}

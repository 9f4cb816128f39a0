public import DataTree
internal import SyncProtocol
public import ZeroMQ

/// Asks nodes how they are, as any client may.
public struct StatusProbe {
    private let context = Context()
    private let keys: KeyPair?

    /// - Parameter keys: By which nodes with keys know this client.
    public init(as keys: KeyPair? = nil) { self.keys = keys }

    /// The status of each node that answers in time, in the order of the addresses.
    ///
    /// - Throws: when an address is none, or the process has no room for more sockets.
    public func statuses(
        of addresses: [ServerAddress], within limit: Duration
    ) throws(NodeError) -> [Value?] {
        var sockets: [Socket] = []
        do throws(ZeroMQError) {
            for address in addresses { sockets.append(try ask(address)) }
        } catch {
            throw NodeError(error)
        }
        let deadline = ContinuousClock.now + limit
        return sockets.map { socket in
            let left = ContinuousClock.now.duration(to: deadline)
            guard socket.wait(upTo: max(.zero, left)) else { return nil }
            return socket.receive { StatusProbe.status(in: $0[0]) } ?? nil
        }
    }

    private func ask(_ address: ServerAddress) throws(ZeroMQError) -> Socket {
        let socket = try Socket(.dealer, in: context)
        socket.linger = .zero
        try socket.connect(address, as: keys)
        socket.send(ClientMessage.status(id: 1).frame)
        return socket
    }

    private static func status(in frame: UnsafeRawBufferPointer) -> Value? {
        guard let messages = try? FrameReader<NodeMessage>(frame) else { return nil }
        for case .message(.value(_, let status)) in messages { return status }
        return nil
    }
}

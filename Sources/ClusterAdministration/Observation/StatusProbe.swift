package import ClusterConfiguration
package import DataTree
package import SyncProtocol
package import ZeroMQ

/// Sends nodes one request, as any client may: for their status, for a copy, for an eviction.
package struct StatusProbe {
    private let context = Context()
    private let keys: KeyPair?

    /// - Parameter keys: The keys of this client, for nodes with keys.
    package init(as keys: KeyPair? = nil) { self.keys = keys }

    /// The status of a node.
    package struct Answer: Sendable {
        package let status: Result<NodeStatus, DataError>
        /// From the request to all nodes until this answer was read: the status was taken in between.
        package let delay: Duration
    }

    /// The statuses of all nodes that answer in time, in the order of the addresses.
    ///
    /// - Throws: when an address is invalid, or the process has no room for more sockets.
    package func answers(
        of addresses: [ServerAddress], within limit: Duration
    ) throws(NodeError) -> [Answer?] {
        let asked = ContinuousClock.now
        var sockets: [Socket] = []
        do throws(ZeroMQError) {
            for address in addresses { sockets.append(try ask(address)) }
        } catch {
            throw NodeError(error)
        }
        let deadline = ContinuousClock.now + limit
        return sockets.map { socket in
            guard case .value(_, let status) = answer(from: socket, until: deadline) else {
                return nil
            }
            return Answer(
                status: Result { () throws(DataError) in try NodeStatus(status) },
                delay: asked.duration(to: .now))
        }
    }

    /// Has a node write a copy of its database; returns the path of the copy on the node's machine.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func backUp(
        _ address: ServerAddress, to name: String, within limit: Duration
    ) throws(NodeError) -> String {
        guard
            case .value(_, .string(let path)) = try answer(
                of: address, to: .backup(id: requestID, name: name), within: limit)
        else { throw NodeError(problem: "the node sent an unexpected answer", fix: "see its log") }
        return path
    }

    /// Has a node vote to evict a member.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func evict(
        _ member: String, at address: ServerAddress, within limit: Duration
    ) throws(NodeError) {
        _ = try answer(of: address, to: .evict(id: requestID, member: member), within: limit)
    }

    private func answer(
        of address: ServerAddress, to message: ClientMessage, within limit: Duration
    ) throws(NodeError) -> NodeMessage {
        let socket: Socket
        do throws(ZeroMQError) {
            socket = try ask(address, message)
        } catch {
            throw NodeError(error)
        }
        guard let answer = self.answer(from: socket, until: ContinuousClock.now + limit) else {
            throw NodeError(
                problem: "the node does not answer", fix: "see `hearth cluster status`")
        }
        if case .error(_, _, let problem, let fix) = answer {
            throw NodeError(problem: problem, fix: fix)
        }
        return answer
    }

    /// The answer to the request; a node sends probes in between to a client that waits for long.
    private func answer(
        from socket: Socket, until deadline: ContinuousClock.Instant
    ) -> NodeMessage? {
        while socket.wait(upTo: max(.zero, ContinuousClock.now.duration(to: deadline))) {
            if let answer = socket.receive({ StatusProbe.answer(in: $0[0]) }) ?? nil {
                return answer
            }
        }
        return nil
    }

    private static func answer(in frame: UnsafeRawBufferPointer) -> NodeMessage? {
        guard let messages = try? FrameReader<NodeMessage>(frame) else { return nil }
        for case .message(let message) in messages {
            switch message {
            case .value(requestID, _), .ok(requestID), .error(requestID, _, _, _): return message
            default: continue
            }
        }
        return nil
    }

    private func ask(
        _ address: ServerAddress, _ message: ClientMessage = .status(id: requestID)
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(.dealer, in: context)
        socket.linger = .zero
        try socket.connect(address, as: keys)
        socket.send(message.frame)
        return socket
    }
}

/// Each socket sends one request.
private let requestID: UInt64 = 1

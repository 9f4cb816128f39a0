package import ClusterConfiguration
package import DataTree
package import Sockets
package import SyncProtocol
package import TLS

/// Sends nodes one request, as any client may: for their status, for a copy, for an eviction.
package struct StatusProbe {
    private let secret: Secret?

    /// - Parameter secret: One of the cluster's secrets, if it has some.
    package init(showing secret: Secret? = nil) { self.secret = secret }

    /// The status of a node.
    package struct Answer: Sendable {
        package let status: Result<NodeStatus, DataError>
        /// From the request to all nodes until this answer was read: the status was taken in between.
        package let delay: Duration
    }

    /// The statuses of all nodes that answer in time, in the order of the addresses.
    ///
    package func answers(of addresses: [HTTPAddress], within limit: Duration) -> [Answer?] {
        let asked = ContinuousClock.now
        // A host that refuses at once counts as one that does not answer.
        let connections = addresses.map { try? ask($0, .status(id: requestID)) }
        let deadline = ContinuousClock.now + limit
        return connections.map { connection in
            guard let connection,
                case .value(_, let status) = answer(from: connection, until: deadline)
            else { return nil }
            return Answer(
                status: Result { () throws(DataError) in try NodeStatus(status) },
                delay: asked.duration(to: .now))
        }
    }

    /// Has a node write a copy of its database; returns the path of the copy on the node's machine.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func backUp(
        _ address: HTTPAddress, to name: String, within limit: Duration
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
        _ member: String, at address: HTTPAddress, within limit: Duration
    ) throws(NodeError) {
        _ = try answer(of: address, to: .evict(id: requestID, member: member), within: limit)
    }

    func answer(
        of address: HTTPAddress, to message: ClientMessage, within limit: Duration
    ) throws(NodeError) -> NodeMessage {
        let connection = try ask(address, message)
        guard let answer = self.answer(from: connection, until: ContinuousClock.now + limit) else {
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
        from connection: NodeSocket, until deadline: ContinuousClock.Instant
    ) -> NodeMessage? {
        while let frame = connection.frame(until: deadline) {
            if let answer = StatusProbe.answer(in: frame) { return answer }
        }
        return nil
    }

    private static func answer(in frame: [UInt8]) -> NodeMessage? {
        let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
        for case .message(let message) in messages {
            switch message {
            case .value(requestID, _), .ok(requestID), .acknowledged(requestID, _),
                .error(requestID, _, _, _):
                return message
            default: continue
            }
        }
        return nil
    }

    private func ask(
        _ address: HTTPAddress, _ message: ClientMessage
    ) throws(NodeError) -> NodeSocket {
        let connection = try NodeSocket(to: address, showing: secret)
        connection.send(message.frame)
        return connection
    }
}

/// Each connection sends one request.
let requestID: UInt64 = 1

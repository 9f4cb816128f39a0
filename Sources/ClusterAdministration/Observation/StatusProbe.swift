package import CommandLineKit
package import Sockets
package import SyncProtocol
package import TLS
internal import Threads

/// Sends nodes one request, as any client may: for their status, for an eviction.
package struct StatusProbe: Sendable {
    private let secret: Secret?
    private let database: DatabaseName?

    /// - Parameters:
    ///   - secret: One of the cluster's secrets, if it has some.
    ///   - database: The database that requests name, if they name one.
    package init(showing secret: Secret? = nil, of database: DatabaseName? = nil) {
        (self.secret, self.database) = (secret, database)
    }

    /// The outcome of asking a node for its status, and its time.
    package struct Answer: Sendable {
        package let outcome: StatusAnswer
        /// From the request until this answer was read: the status was taken in between.
        package let delay: Duration
    }

    /// The statuses of all nodes, in the order of the addresses. All are asked at once, so a silent node delays no other.
    package func answers(of addresses: [HTTPAddress], within limit: Duration) -> [Answer] {
        let answers = request(addresses, within: limit)
        // A look-up of a name may take longer; its thread then ends by itself.
        _ = answers.wait(upTo: limit + .milliseconds(100)) {
            $0.contains { $0 == nil } ? nil : true
        }
        return answers.withLock { $0 }.map {
            $0 ?? Answer(outcome: .silent(isConnected: false), delay: limit)
        }
    }

    /// The same addresses, those of silent and stopped nodes last.
    ///
    /// All nodes are asked at once. The call returns as soon as the first one answers, and after half a second at most.
    package func respondingFirst(_ addresses: [HTTPAddress]) -> [HTTPAddress] {
        guard addresses.count > 1 else { return addresses }
        let limit = Duration.milliseconds(500)
        let answers = request(addresses, within: limit)
        _ = answers.wait(upTo: limit) {
            $0[0]?.outcome.isAnswer == true || !$0.contains { $0 == nil } ? true : nil
        }
        let answered = answers.withLock { $0.map { $0?.outcome.isAnswer == true } }
        let first = zip(addresses, answered).filter(\.1).map(\.0)
        return first + zip(addresses, answered).filter { !$0.1 }.map(\.0)
    }

    /// Asks all nodes for their status at once.
    ///
    /// Each node has a thread of its own, because the system's look-up of a name blocks.
    private func request(
        _ addresses: [HTTPAddress], within limit: Duration
    ) -> Monitor<[Answer?]> {
        let answers = Monitor([Answer?](repeating: nil, count: addresses.count))
        for (index, address) in addresses.enumerated() {
            _ = SystemThread { [self] in
                let answer = status(of: address, within: limit)
                answers.withLock { $0[index] = answer }
                answers.signal()
            }
        }
        return answers
    }

    private func status(of address: HTTPAddress, within limit: Duration) -> Answer {
        let start = ContinuousClock.now
        let reply = reply(of: address, to: .status(id: requestID), within: limit)
        return Answer(
            outcome: StatusAnswer(reply, showsCredential: secret != nil),
            delay: start.duration(to: .now))
    }

    /// The evicted nodes, as far as a node knows; none if it does not answer within a second.
    package func evictedNodes(at address: HTTPAddress) -> [String] {
        status(of: address, within: .seconds(1)).outcome.report?.membership.evicted.keys.inKeyOrder
            ?? []
    }

    /// Has a node vote to evict a member.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func evict(
        _ member: String, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        _ = try answer(of: address, to: .evict(id: requestID, member: member), within: limit)
    }

    /// The answer of a node that does the request.
    ///
    /// - Throws: `.denied` if only others may ask for this; otherwise why the node has not done it.
    func answer(
        of address: HTTPAddress, to message: ClientMessage, within limit: Duration
    ) throws(CommandError) -> NodeMessage {
        let reply = reply(of: address, to: message, within: limit)
        switch reply {
        case .message(.error(_, let code, let problem, let fix)) where code != .permissionDenied:
            throw CommandError(.unavailable, problem, fix: fix)
        case .message(let answer):
            if case .error = answer { break }
            return answer
        case .ended(.wrong(let problem, let fix)):
            throw CommandError(.badData, "\(address.location): \(problem)", fix: fix)
        case .ended, .silent: break
        }
        throw StatusAnswer(reply, showsCredential: secret != nil).error(at: address, limit)
    }

    static func unexpectedAnswer(of address: HTTPAddress) -> CommandError {
        CommandError(
            .unavailable, "\(address.location) sent an unexpected answer", fix: "see its log")
    }
}

extension StatusAnswer {
    /// Why a node has not answered a request.
    fileprivate func error(at address: HTTPAddress, _ limit: Duration) -> CommandError {
        let status = "run `hearth cluster status`"
        let place = address.location
        switch self {
        case .denied(let denial): return denial.error(at: address)
        case .refused:
            return CommandError(
                .unavailable, "no process listens at \(place)",
                fix: "start the node, or name another one; `hearth cluster status` shows all")
        case .unavailable:
            return CommandError(
                .unavailable, "\(place) accepts no clients at present", fix: "try again soon")
        case .failed(let problem, let fix):
            return CommandError(.unavailable, "\(place): \(problem)", fix: fix)
        case .silent, .status, .unreadable:
            return CommandError(
                .unavailable, "\(place) did not answer within \(NodeWait.text(of: limit))",
                fix: status)
        }
    }
}

// MARK: - One request

/// The outcome of one request to one node.
enum NodeReply: Sendable {
    case message(NodeMessage)
    case ended(NodeSocket.Ending)
    /// Nothing came in time.
    case silent(isConnected: Bool)
}

extension StatusProbe {
    private func reply(
        of address: HTTPAddress, to message: ClientMessage, within limit: Duration
    ) -> NodeReply {
        let start = ContinuousClock.now
        let connection: NodeSocket
        do throws(SocketError) {
            connection = try NodeSocket(
                connectingTo: address, showing: secret, database: database,
                followsRedirects: !message.concernsNode)
        } catch {
            return .ended(.init(error))
        }
        connection.send(message.frame)
        // A node sends probes in between to a client that waits for long.
        while let frame = connection.frame(until: start + limit) {
            if let answer = StatusProbe.answer(in: frame) { return .message(answer) }
        }
        return connection.ending.map { .ended($0) } ?? .silent(isConnected: connection.isConnected)
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
}

extension ClientMessage {
    /// Whether only the node that receives the request can answer it, and no other node with the same database.
    fileprivate var concernsNode: Bool {
        switch request {
        case .status, .backup, .evict: true
        default: false
        }
    }
}

/// Each connection sends one request.
let requestID: UInt64 = 1

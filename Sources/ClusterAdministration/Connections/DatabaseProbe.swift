package import CommandLineKit
internal import DataTree
internal import JSONText
package import Sockets
package import SyncProtocol
package import TLS

/// Lists, creates and removes the databases of a node, by one HTTP request each.
package struct DatabaseProbe: Sendable {
    private let secret: Secret?

    /// - Parameter secret: One of the cluster's secrets, if it has some.
    package init(showing secret: Secret?) { self.secret = secret }

    /// The names of the node's databases, the default one first.
    package func names(
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [DatabaseName] {
        let body = try send("GET /.inspect/databases.json", to: address, within: limit)
        let text = String(decoding: body, as: UTF8.self)
        guard let list = try? JSONReader().parse(text) else { throw Self.unreadable(address) }
        return list.children.compactMap { _, entry in
            guard case .string(let text) = entry[Key(unchecked: "name")] else { return nil }
            return DatabaseName(text)
        }
    }

    /// Creates a database, unless there is one of this name; returns once the node serves it.
    package func create(
        _ name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        _ = try send("PUT /.settings/databases/\(name).json", to: address, within: limit)
    }

    /// Removes a database at a node, which has the others remove it.
    package func remove(
        _ name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        _ = try send("DELETE /.settings/databases/\(name).json", to: address, within: limit)
    }

    /// Sends a request without a body, and returns the body of the answer.
    private func send(
        _ request: String, to address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [UInt8] {
        let answer = read(request, from: address, within: limit)
        guard let answer, answer.status != 0 else {
            throw CommandError(
                .unavailable, "\(address.location) does not answer",
                fix: "run `hearth cluster status`, or name another node with --node")
        }
        switch answer.status {
        case 200: return answer.body
        case 401, 403:
            throw CommandError(
                .denied, "\(address.location) requires an administrator",
                fix: "give --secret FILE, or HEARTH_SECRET_FILE")
        default: throw refusal(of: answer, at: address)
        }
    }

    /// The problem and the fix that a node names in its answer, if it is one of this version.
    private func refusal(
        of answer: (status: Int, body: [UInt8]), at address: HTTPAddress
    ) -> CommandError {
        let text = String(decoding: answer.body, as: UTF8.self)
        if let body = try? JSONReader().parse(text),
            case .string(let problem) = body[Key(unchecked: "error")],
            case .string(let fix) = body[Key(unchecked: "fix")]
        {
            let status = answer.status < 500 ? ExitStatus.badData : .unavailable
            return CommandError(status, "\(address.location): \(problem)", fix: fix)
        }
        return CommandError(
            .unavailable, "\(address.location) answers \(answer.status): \(text)",
            fix: "use a node of this version of hearth, or try again")
    }

    private static func unreadable(_ address: HTTPAddress) -> CommandError {
        CommandError(
            .badData, "\(address.location) does not answer with a list of databases",
            fix: "use the version of hearth that the nodes run")
    }
}

// MARK: - HTTP

extension DatabaseProbe {
    private func read(
        _ request: String, from address: HTTPAddress, within limit: Duration
    ) -> (status: Int, body: [UInt8])? {
        let deadline = ContinuousClock.now + limit
        guard let socket = try? PolledSocket(to: address) else { return nil }
        var hasAsked = false
        var answer: [UInt8] = []
        repeat {
            guard let isOpen = try? socket.finishConnecting() else { return nil }
            guard isOpen else { continue }
            if !hasAsked, !socket.send(bytes(of: request, to: address)) { return nil }
            hasAsked = true
            // The answer to a request of HTTP/1.0 ends with the connection.
            if !socket.receive({ answer += $0 }) { return DatabaseProbe.parts(of: answer) }
        } while wait(for: socket, until: deadline)
        return nil
    }

    private func wait(for socket: PolledSocket, until deadline: ContinuousClock.Instant) -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        return rest > .zero && socket.wait(upTo: rest)
    }

    private func bytes(of request: String, to address: HTTPAddress) -> [UInt8] {
        let credential = secret.map { "Authorization: \($0.authorization)\r\n" } ?? ""
        return Array(
            ("\(request) HTTP/1.0\r\nHost: \(address.authority)\r\nContent-Length: 0\r\n"
                + credential + "\r\n").utf8)
    }

    private static func parts(of answer: [UInt8]) -> (status: Int, body: [UInt8])? {
        let text = answer.prefix(12)
        guard let status = Int(String(decoding: text.suffix(3), as: UTF8.self)),
            let end = answer.indices.dropLast(3).first(where: {
                answer[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
            })
        else { return nil }
        return (status, Array(answer[(end + 4)...]))
    }
}

package import CommandLineKit
internal import DataTree
internal import JSONText
package import Sockets
package import SyncProtocol
package import TLS

/// Lists, creates, removes and places the databases of a cluster, by one HTTP request each.
package struct DatabaseProbe: Sendable {
    private let secret: Secret?

    /// - Parameter secret: One of the cluster's secrets, if it has some.
    package init(showing secret: Secret?) { self.secret = secret }

    /// The names of the databases of the cluster that a node knows, the default one first.
    package func names(
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [DatabaseName] {
        let answer = try send(
            ShortRequest("GET", "/.inspect/databases.json"), to: address, within: limit)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let list = try? JSONReader().parse(text) else { throw Self.unreadable(address) }
        return list.children.compactMap { _, entry in
            guard case .string(let text) = entry[Key(unchecked: "name")] else { return nil }
            return DatabaseName(text)
        }
    }

    /// The status of a node in a database that it knows, which may be the catalog. A sleeping database wakes.
    func status(
        of name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> NodeStatus {
        let request = ShortRequest("GET", "/status?ns=\(name)")
        let answer = try send(request, to: address, within: limit)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let value = try? JSONReader().parse(text), let status = try? NodeStatus(value) else {
            throw CommandError(
                .badData, "\(address.location) does not answer with a status",
                fix: "use the version of hearth that the nodes run")
        }
        return status
    }

    /// Creates a database, unless there is one of this name; returns once the node serves it.
    package func create(
        _ name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        _ = try send(
            ShortRequest("PUT", "/.settings/databases/\(name).json"), to: address, within: limit)
    }

    /// Removes a database at a node, which has the others remove it.
    package func remove(
        _ name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        _ = try send(
            ShortRequest("DELETE", "/.settings/databases/\(name).json"), to: address, within: limit)
    }

    /// Sends a request, and returns its answer unless that is a refusal.
    func send(
        _ request: ShortRequest, to address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> ShortRequest.Answer {
        var request = request
        request.credential = secret?.authorization
        guard let answer = request.answer(of: address, within: limit), answer.status != 0 else {
            throw CommandError(
                .unavailable, "\(address.location) does not answer",
                fix: "run `hearth cluster status`, or name another node with --node")
        }
        switch answer.status {
        case 200: return answer
        case 412 where request.acceptsConflict: return answer
        case 401, 403:
            throw CommandError(
                .denied, "\(address.location) requires an administrator",
                fix: "give --secret FILE, or HEARTH_SECRET_FILE")
        default: throw refusal(of: answer, at: address)
        }
    }

    /// The problem and the fix that a node names in its answer, if it is one of this version.
    private func refusal(
        of answer: ShortRequest.Answer, at address: HTTPAddress
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

    static func unreadable(_ address: HTTPAddress) -> CommandError {
        CommandError(
            .badData, "\(address.location) does not answer with a list of databases",
            fix: "use the version of hearth that the nodes run")
    }
}

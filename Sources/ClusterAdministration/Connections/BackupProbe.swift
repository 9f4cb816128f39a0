package import CommandLineKit
internal import DataTree
internal import HTTPText
internal import JSONText
package import Sockets
package import SyncProtocol
package import TLS

/// Requests backups of a node's databases, over HTTP.
package struct BackupProbe: Sendable {
    private let secret: Secret?
    /// Nil for all databases of the node.
    private let database: DatabaseName?

    package init(showing secret: Secret?, of database: DatabaseName?) {
        (self.secret, self.database) = (secret, database)
    }

    /// Has a node write a backup into a file of its folder; returns the path on the node's machine.
    ///
    /// - Parameter reportWait: Called once if the backup takes longer than a moment.
    package func write(
        _ name: String, at address: HTTPAddress, within limit: Duration, reportWait: () -> Void
    ) throws(CommandError) -> String {
        var body: [UInt8] = []
        let target = NodeBackupTarget(name: name, database: database)
        try receive("POST", target, from: address, within: limit, reportWait) { body += $0 }
        guard let value = try? JSONReader().parse(String(decoding: body, as: UTF8.self)),
            case .string(let path) = value[Key(unchecked: "path")]
        else { throw StatusProbe.unexpectedAnswer(of: address) }
        return path
    }

    /// Receives a backup, which the node keeps nowhere.
    ///
    /// - Parameters:
    ///   - limit: The longest wait for the next bytes.
    ///   - body: Called with the bytes of the archive, in order.
    package func fetch(
        from address: HTTPAddress, within limit: Duration, reportWait: () -> Void,
        _ body: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        let target = NodeBackupTarget(name: nil, database: database)
        try receive("GET", target, from: address, within: limit, reportWait, body)
    }

    private func receive(
        _ method: String, _ target: NodeBackupTarget, from address: HTTPAddress,
        within limit: Duration, _ reportWait: () -> Void,
        _ body: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        let socket = try connect(to: address)
        var request: [UInt8]? = self.request(method, target, to: address)
        var reader = StreamedResponseReader()
        var refusal: [UInt8] = []
        var wait = AnswerWait(limit)
        while !reader.hasEnded {
            var isThere = true
            let arrived = try exchange(&request, over: socket, &isThere)
            if !arrived.isEmpty {
                wait.restart()
                let content = try content(of: arrived, by: &reader, from: address)
                if reader.head?.status == 200 { try body(content) } else { refusal += content }
            }
            guard isThere else { break }
            guard !wait.isOver else {
                throw CommandError(
                    .unavailable,
                    "\(address.location) sent nothing for \(NodeWait.text(of: limit))",
                    fix: "run `hearth cluster status`, or raise --timeout")
            }
            if reader.head == nil, wait.isReportDue() { reportWait() }
            _ = socket.wait(upTo: .milliseconds(200))
        }
        try check(reader, refusal, from: address)
    }

    /// Sends the request once the connection is open, and returns the bytes that have arrived.
    private func exchange(
        _ request: inout [UInt8]?, over socket: PolledSocket, _ isThere: inout Bool
    ) throws(CommandError) -> [UInt8] {
        var arrived: [UInt8] = []
        do throws(SocketError) {
            guard try socket.finishConnecting() else { return [] }
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
        if let bytes = request { isThere = socket.send(bytes) }
        request = nil
        isThere = socket.receive { arrived += $0 } && isThere
        return arrived
    }

    private func content(
        of bytes: [UInt8], by reader: inout StreamedResponseReader, from address: HTTPAddress
    ) throws(CommandError) -> [UInt8] {
        do throws(ResponseReader.Failure) { return try reader.read(bytes) } catch {
            throw CommandError(
                .unavailable, "\(address.location): its answer \(error.problem)",
                fix: "see the log of the node")
        }
    }

    private func connect(to address: HTTPAddress) throws(CommandError) -> PolledSocket {
        do throws(SocketError) { return try PolledSocket(to: address) } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
    }

    private func request(
        _ method: String, _ target: NodeBackupTarget, to address: HTTPAddress
    ) -> [UInt8] {
        let credential = secret.map { "Authorization: \($0.authorization)\r\n" } ?? ""
        return Array(
            ("\(method) \(target.text) HTTP/1.1\r\nHost: \(address.authority)\r\n"
                + "Content-Length: 0\r\nConnection: close\r\n\(credential)\r\n").utf8)
    }

    private func check(
        _ reader: StreamedResponseReader, _ refusal: [UInt8], from address: HTTPAddress
    ) throws(CommandError) {
        let place = address.location
        switch reader.head?.status {
        case 200:
            // An answer of known length ends with the connection, and has no chunks.
            let isChunked = reader.head.map { !$0.values(of: "transfer-encoding").isEmpty } ?? false
            guard isChunked, !reader.hasEnded else { return }
            throw CommandError(
                .unavailable, "\(place) ended the backup before it was complete",
                fix: "see the log of the node")
        case nil:
            throw CommandError(
                .unavailable, "\(place) ended the connection", fix: "see the log of the node")
        case 401, 403:
            throw CommandError(
                .denied,
                "\(place) requires an administrator, or a monitor for a backup in its own folder",
                fix: "give --secret FILE, or HEARTH_SECRET_FILE")
        case let status?:
            let text = String(decoding: refusal, as: UTF8.self)
            guard let body = try? JSONReader().parse(text),
                case .string(let problem) = body[Key(unchecked: "error")],
                case .string(let fix) = body[Key(unchecked: "fix")]
            else {
                throw CommandError(
                    .unavailable,
                    "\(place) makes no backups of all databases: it answers \(status)",
                    fix: "run this version of Hearth on the node, or `hearth backup` of its version"
                )
            }
            throw CommandError(
                status < 500 ? .badData : .unavailable, "\(place): \(problem)", fix: fix)
        }
    }
}

/// The target of a request for a backup.
private struct NodeBackupTarget {
    let text: String

    init(name: String?, database: DatabaseName?) {
        let parameters = [name.map { "name=\($0)" }, database.map { "database=\($0)" }]
            .compactMap { $0 }
        text = "/.backup.tar" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}

/// The wait for the next bytes of an answer.
private struct AnswerWait {
    private let limit: Duration
    private var start = ContinuousClock.now
    private var hasReported = false

    init(_ limit: Duration) { self.limit = limit }

    var isOver: Bool { ContinuousClock.now - start >= limit }

    mutating func restart() { start = .now }

    /// Whether to report the wait; true once, after a moment.
    mutating func isReportDue() -> Bool {
        guard !hasReported, ContinuousClock.now - start >= NodeWait.patience else { return false }
        hasReported = true
        return true
    }
}

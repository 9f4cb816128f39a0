internal import DataTree
internal import HTTPText
internal import JSONText
public import SyncProtocol

/// A backup of the node's databases that a client requests.
///
/// `GET /.backup.tar` is answered by the archive, which the node keeps nowhere. It is for administrators, because it has all data.
/// `POST /.backup.tar?name=monday` has the node write it into a file, and is answered by `{path}`. It is for monitors, too. With
/// `database=NAME` the backup has one database, otherwise all that the node holds.
public struct NodeBackup: Equatable, Sendable {
    /// The path of the requests.
    public static let path = "/.backup.tar"

    /// The name of the file in the node's folder; nil if the archive is sent to the client.
    public let fileName: String?
    /// The only database; nil for all.
    public let database: DatabaseName?

    public init(fileName: String? = nil, database: DatabaseName? = nil) {
        (self.fileName, self.database) = (fileName, database)
    }

    /// Reads a request.
    ///
    /// - Throws: The refusal of another method, of an invalid name, and of a database that this node does not hold.
    init(_ head: RequestHead, in databases: borrowing DatabaseResolution) throws(RestFailure) {
        let parameters: QueryParameters
        do throws(TargetError) { parameters = try head.target.parameters() } catch {
            throw RestFailure(error)
        }
        let database = try parameters.first("database").map { text throws(RestFailure) in
            guard let name = DatabaseName(stored: text) else { throw .databaseName(text) }
            try databases.checkHolds(name)
            return name
        }
        switch head.method {
        case .get: self.init(database: database)
        case .post:
            let name = parameters.first("name") ?? ""
            guard BackupName.isValid(name) else {
                throw .invalid(
                    "\"\(name.prefix(80))\" cannot name a backup.", fix: BackupName.fix)
            }
            self.init(fileName: name, database: database)
        default:
            throw RestFailure(
                status: 405, problem: "A backup can be read, and written by the node.",
                fix: "use GET or POST")
        }
    }
}

/// The progress of a backup.
public enum BackupEvent: Equatable, Sendable {
    /// The next bytes for the client. Further ones follow after `continueBackup`.
    case piece([UInt8])
    /// The backup is complete; with the path of the file that the node has written.
    case complete(path: String?)
    case failed(problem: String, fix: String)
}

extension DatabaseResolution {
    /// Checks that this node holds a database.
    fileprivate func checkHolds(_ name: DatabaseName) throws(RestFailure) {
        try checkIsNotRemoved(name)
        guard name.isDefault || name.isCatalog || names.contains(name) else {
            throw .unknownDatabase(name.text)
        }
        guard case .elsewhere(let nodes, _) = place(of: name) else { return }
        throw RestFailure(
            status: 404, problem: "This node does not hold the database \(name).",
            fix: "ask one of its nodes: \(nodes.joined(separator: ", "))")
    }
}

// MARK: - The answer

extension Connection {
    mutating func begin(
        _ backup: NodeBackup, for request: OpenRequest, _ context: inout GatewayContext
    ) {
        become(.copying(request, nil, sinceMilliseconds: nil))
        context.output(.backUp(id, backup))
    }

    /// Goes on with the answer to the request of a backup.
    mutating func step(_ event: BackupEvent, _ context: inout GatewayContext) {
        if case .console = activity {
            return updateConsole(&context) { session, _ in session.finishBackup(event) }
        }
        guard case .copying(let request, let body, _) = activity else { return }
        switch event {
        case .piece(let bytes):
            let body = body ?? beginAnswer(to: request, &context)
            context.send(body.piece(bytes), to: id)
            become(.copying(request, body, sinceMilliseconds: context.elapsedMilliseconds))
            context.output(.reportWritable(id))
        case .complete(let path):
            become(.idle)
            if let body {
                context.send(body.end, to: id)
                finish(closes: body.endsConnection, &context)
            } else {
                send(Answer(pathOfBackup: path ?? ""), to: request, &context)
            }
            readRequests(&context)
        case .failed(let problem, let fix):
            become(.idle)
            // Without its end, the answer is not complete.
            if body != nil { return close(&context) }
            send(
                Answer(RestFailure(status: 503, problem: problem, fix: fix)), to: request, &context)
            readRequests(&context)
        }
    }

    private func beginAnswer(
        to request: OpenRequest, _ context: inout GatewayContext
    ) -> ChunkedBody {
        let answer = Answer(AnswerText([]), type: "application/x-tar")
        let head = ResponseHead(answer, origin: request.origin, in: context.configuration)
        let (bytes, body) = head.stream(form: request.form, date: context.date)
        context.metrics.countRequest(request.method, answer.status)
        context.send(bytes, to: id)
        return body
    }

    /// Has the driver go on, as all bytes have left.
    mutating func continueBackup(_ context: inout GatewayContext) {
        guard case .copying(let request, let body, _?) = activity else { return }
        become(.copying(request, body, sinceMilliseconds: nil))
        context.output(.continueBackup(id))
    }
}

extension Answer {
    fileprivate init(pathOfBackup path: String) {
        let value = Value.object(named: [("path", .string(path))])
        self.init(AnswerText(value), type: "application/json; charset=utf-8")
    }
}

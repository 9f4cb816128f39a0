internal import DataTree
internal import HTTPText
internal import JSONText
internal import Rules
internal import SyncProtocol

/// The handling of a request once it is complete, according to its head.
enum RequestPlan {
    case answer(Answer)
    case rest(RestRequest)
    /// The rules of the cluster are read or replaced.
    case rules(RulesDocumentRequest)
    /// A report about the node, for an administrator or a monitor.
    case report(NodeReport)
    /// A backup of the node, for an administrator or a monitor.
    case backup(NodeBackup)
    /// The connection becomes a native client's WebSocket, for this key.
    case native(key: String)
    /// The connection becomes the feed of a page of the console, for this key.
    case console(key: String)
    /// The connection becomes one of Firebase's WebSocket protocol.
    case realtime(RealtimeRequestHead)
    /// The connection becomes a WebSocket of Firebase's protocol, for this key, and ends at once.
    case refusedRealtime(key: String, RealtimeFarewell)
    /// It belongs to a session of Firebase's protocol with long polls.
    case longPoll(LongPollRequest)

    /// Decides on a request by its head.
    ///
    /// - Throws: why it is refused, before anything is done and before its body is read.
    init(
        _ head: RequestHead, by principal: Principal, in context: borrowing GatewayContext
    ) throws(RestFailure) {
        if head.method == .options {
            self = .answer(Answer(preflightFor: head))
            return
        }
        guard principal != .monitor || head.isForMonitors else { throw .monitorsOnlyObserve }
        if let coding = head.value(of: "content-encoding"), coding.lowercased() != "identity" {
            throw .contentEncoding
        }
        let mayLoadScript = context.originRule.permitsScript(head)
        switch head.target.pathText {
        case "/health":
            try head.checkIsRead()
            self = .answer(Answer(health: context.unavailability(for: principal)))
        case NodeBackup.path:
            guard context.authentication.mayRead(.status, as: principal) else {
                throw .permissionDenied
            }
            // A monitor receives no data. It may have the node write them into its folder.
            guard principal != .monitor || head.method != .get else { throw .monitorsOnlyObserve }
            self = .backup(try NodeBackup(head, in: context.databases))
            try context.checkServes(principal)
        case RulesDocumentRequest.path:
            self = .rules(try RulesDocumentRequest(head))
            try context.checkServes(principal)
        case let path where NativeProtocol.isPath(path):
            let key = try head.webSocketKey()
            self = head.isForConsoleFeed ? .console(key: key) : .native(key: key)
            guard head.isForConsoleFeed || head.lists("hearth.1", in: "sec-websocket-protocol")
            else { throw .nativeClient }
            try context.checkServes(principal)
        case "/.ws":
            self = .realtime(try RealtimeRequestHead(head))
            try context.checkServes(principal)
        case "/.lp":
            self = .longPoll(try LongPollRequest(head, mayLoadScript: mayLoadScript))
            try context.checkServes(principal)
        default:
            if let page = ConsolePage.answer(to: head, in: context.configuration) {
                self = .answer(page)
                return
            }
            if let report = try NodeReport(head) {
                guard context.authentication.mayRead(report, as: principal) else {
                    throw .permissionDenied
                }
                if case .placement(let name) = report {
                    self = .answer(Answer(placementOf: name, in: context.databases))
                } else {
                    self = .report(report)
                }
                if !report.isAlwaysTold { try context.checkServes(principal) }
                return
            }
            let request = try RestRequest(
                head, mayLoadScript: mayLoadScript, context.json)
            guard let request else {
                self = .answer(.notREST)
                return
            }
            self = .rest(request)
            try context.checkServes(principal)
        }
    }

    /// The refusal of a request for a database.
    ///
    /// - Clients of Firebase's WebSockets cannot read the body of an answer, and try again after one.
    /// - Pages with long polls would follow a redirect of the first request alone.
    init(
        refusing head: RequestHead, because failure: RestFailure,
        in context: borrowing GatewayContext
    ) {
        let mayLoadScript = context.originRule.permitsScript(head)
        switch (head.target.pathText, failure.absence) {
        case ("/.ws", let absence):
            guard let key = try? head.webSocketKey() else { break }
            if let absence {
                self = .refusedRealtime(
                    key: key, RealtimeFarewell(absence, because: failure.problem))
                return
            }
            if failure.namesNoDatabase || failure.status == 429 {
                self = .refusedRealtime(key: key, RealtimeFarewell(failure))
                return
            }
        case ("/.lp", .elsewhere(let host, _)?):
            guard
                case .start(let callback, _, _)? = try? LongPollRequest(
                    head, mayLoadScript: mayLoadScript)
            else { break }
            self = .answer(Answer(redirectingLongPollTo: host, callback: callback))
            return
        default: break
        }
        var answer = Answer(failure)
        if NativeProtocol.isPath(head.target.pathText) { answer.appendReason(of: failure) }
        self = .answer(answer)
    }

    /// Whether the request needs its database, before a client of a session has signed in.
    var usesDatabase: Bool {
        switch self {
        case .rest, .rules, .report, .native, .console: true
        case .answer, .backup, .realtime, .refusedRealtime, .longPoll: false
        }
    }

    /// Whether the body is kept until the request is complete.
    var keepsBody: Bool {
        switch self {
        case .rest(let request): request.hasBody
        case .rules(let request): request.isReplacement
        case .answer, .report, .backup, .native, .console, .realtime, .refusedRealtime, .longPoll:
            false
        }
    }
}

extension GatewayContext {
    /// Paths that need no credential: the health of the node, and sessions of Firebase's protocol, whose clients
    /// sign in by messages.
    private static let openPaths = ["/health", "/.ws", "/.lp"]

    /// Returns the database that a request concerns.
    ///
    /// - Throws: The refusal of an unknown or invalid name, and of a database that clients cannot use here.
    mutating func database(
        of head: RequestHead, from client: String
    ) throws(RestFailure) -> DatabaseName {
        let database: DatabaseName
        do throws(RestFailure) { database = try namedDatabase(of: head) } catch {
            guard let absent = error.absentDatabase, authentication.hides(absent) else {
                throw error
            }
            // The client of a session signs in later. Others are refused once their request is complete.
            guard !head.isRealtime, try isOfAdministrator(head) else { return absent }
            throw error
        }
        guard databases.place(of: database) != .here else { return database }
        guard head.usesDatabase else { return .default }
        try checkPlace(of: database, head, from: client)
        return database
    }

    private mutating func isOfAdministrator(_ head: RequestHead) throws(RestFailure) -> Bool {
        let sender = try Credentials(head).identity(by: &authentication, json, at: now)
        return sender.principal.isAdministrator
    }

    private mutating func namedDatabase(
        of head: RequestHead
    ) throws(RestFailure) -> DatabaseName {
        // The list of databases is the same for all, and wakes none of them. Neither does a backup.
        if head.method == .options
            || [NodeReport.databasesPath, NodeBackup.path].contains(head.target.pathText)
        {
            return .default
        }
        if let name = try head.changedDatabase() {
            switch head.method {
            case .put:
                try databases.checkRoom(for: name)
                return name
            case .delete:
                try databases.checkRemoval(of: name)
            default: try databases.checkIsNotRemoved(name)
            }
            // The database may be elsewhere.
            return .default
        }
        if head.isForCatalog { return .catalog }
        if let text = NativeProtocol.databaseText(inPath: head.target.pathText) {
            return try databases.database(
                named: text, isExplicit: true, mayCreate: head.mayCreateDatabase,
                isPlaced: head.placement != nil)
        }
        let database = try databases.database(of: head)
        if let line = databases.report(head, using: database) { output(.log(line)) }
        return database
    }

    /// Checks that a request is meant for this server, and that the page that sends it may do so.
    func checkSource(of head: RequestHead) throws(RestFailure) {
        guard hostRule.permits(head.authority) else { throw .host(head) }
        guard originRule.decide(head) != .refused else { throw .origin }
    }

    /// Returns the identity of a request's sender.
    ///
    /// - Throws: The reason for which the sender may do nothing here.
    mutating func identity(
        of head: RequestHead, in database: DatabaseName
    ) throws(RestFailure) -> Identity {
        guard !authentication.isOpen, head.method != .options,
            !GatewayContext.openPaths.contains(head.target.pathText),
            !isForConsole(head, of: database)
        else { return authentication.initial }
        let identity = try Credentials(head).identity(by: &authentication, json, at: now)
        let isHidden = authentication.hides(database) && authentication.hasTokens
        guard isHidden || authentication.admits(identity.principal, to: database) else {
            throw .permissionDenied
        }
        return identity
    }

    /// Whether a request is for the console, whose page asks for a token itself.
    private borrowing func isForConsole(
        _ head: RequestHead, of database: DatabaseName
    ) -> Bool {
        guard configuration.console != nil else { return false }
        // A page shows no database that is not there.
        if head.isForConsoleFeed { return !authentication.hides(database) }
        return ConsolePage.path(in: head) != nil
    }

    fileprivate borrowing func checkServes(_ principal: Principal) throws(RestFailure) {
        if availability.servesClients { return }
        throw .unavailable(unavailability(for: principal) ?? "")
    }

    /// Why the node does not serve without limits; nil if it does. Only administrators and monitors learn the names of nodes.
    fileprivate borrowing func unavailability(for principal: Principal) -> String? {
        availability.reason(
            withNames: !authentication.hidesNames || principal.isAdministrator
                || principal == .monitor)
    }
}

extension RequestHead {
    /// The paths that a monitor may request. On the native WebSocket, the replica refuses it data.
    private static let pathsForMonitors = [
        "/health", "/status", "/metrics", NodeBackup.path, NativeProtocol.path,
        NativeProtocol.path(of: .default),
    ]

    fileprivate var isForMonitors: Bool {
        RequestHead.pathsForMonitors.contains(target.pathText)
    }

    /// Whether the request begins or continues a session of Firebase's protocol.
    var isRealtime: Bool { ["/.ws", "/.lp"].contains(target.pathText) }

    /// Whether the request needs the data of the database that it names. A poll of a session needs the session alone.
    fileprivate var usesDatabase: Bool {
        switch target.pathText {
        case "/health", "/metrics", "/.inspect/databases.json": false
        case "/.lp": (try? target.parameters())?.first("start") == "t"
        default: true
        }
    }

    /// The key of a request for a WebSocket.
    func webSocketKey() throws(RestFailure) -> String {
        guard method == .get, asksToUpgrade(to: "websocket"),
            value(of: "sec-websocket-version") == WebSocketUpgrade.version
        else { throw .upgrade }
        guard let key = value(of: "sec-websocket-key"), WebSocketUpgrade.isKey(key) else {
            throw .invalid("Sec-WebSocket-Key must have 16 bytes in base 64.", fix: "send one key")
        }
        return key
    }

    /// Refuses what is no GET and no HEAD.
    func checkIsRead() throws(RestFailure) {
        guard method == .get || method == .head else {
            throw RestFailure(
                status: 405, problem: "\(target.pathText) can only be read.", fix: "use GET")
        }
    }
}

// MARK: - Answers without the replica

extension Answer {
    fileprivate static var notREST: Answer {
        let text = "append .json to your request URI to use the REST API.\n"
        return Answer(
            status: 404, AnswerText(Array(text.utf8)), type: "text/plain; charset=utf-8")
    }

    /// Answers the question of a browser before it lets a page of another origin send a request.
    fileprivate init(preflightFor head: RequestHead) {
        self.init(status: 204)
        let methods = "GET, PUT, POST, PATCH, DELETE, OPTIONS"
        append("Allow", methods)
        append("Access-Control-Allow-Methods", methods)
        if let fields = head.value(of: "access-control-request-headers") {
            append("Access-Control-Allow-Headers", fields)
        }
        append("Access-Control-Max-Age", "86400")
    }

    /// The health of a node.
    ///
    /// - Parameter reason: Why it does not serve without limits; nil if it does.
    fileprivate init(health reason: String?) {
        let status = reason == nil ? 200 : 503
        let text = "{\"status\":\(JSONWriter.text(of: .string(reason ?? "ok")))}\n"
        self.init(
            status: status, AnswerText(Array(text.utf8)), type: "application/json; charset=utf-8")
        if status == 503 { append("Retry-After", "1") }
    }
}

// MARK: - Refusals

extension RestFailure {
    fileprivate static func host(_ head: RequestHead) -> RestFailure {
        RestFailure(
            status: 421, problem: "This node is not \(head.authorityText ?? "that host").",
            fix:
                "use an address or localhost, or add the name to \"hosts\" of \"http\" in the configuration"
        )
    }

    fileprivate static let origin = RestFailure(
        status: 403, problem: "Pages of this origin may not use this node.",
        fix: "add the page's origin to \"origins\" of \"http\" in the configuration")

    fileprivate static let upgrade = RestFailure(
        status: 426, problem: "This address is for WebSockets.",
        fix: "request a WebSocket of version \(WebSocketUpgrade.version)")

    fileprivate static let nativeClient = RestFailure.invalid(
        "This address is for native clients.",
        fix: "name the subprotocol \(NativeProtocol.name), or use REST")

    fileprivate static let contentEncoding = RestFailure(
        status: 415, problem: "Bodies with Content-Encoding are not supported.",
        fix: "send the JSON without an encoding")
}

internal import HTTPText
internal import SyncProtocol

/// The reason why clients cannot use a database at a node: it is on other nodes, or moves to them.
enum DatabaseAbsence: Equatable {
    /// The node with this host holds the database, since this version of its entry in the catalog.
    case elsewhere(host: String, epoch: UInt64)
    case moving
    /// Two placements were decided for the same epoch.
    case contested
}

extension GatewayContext {
    /// The reason why clients cannot use a database here; nil if they can.
    ///
    /// - Parameter client: The address of the client, which always goes to the same of several nodes, so that it reads its own
    ///   writes.
    /// - Throws: If the node does not know an address of the nodes that hold the database.
    func absence(
        of database: DatabaseName, for client: String
    ) throws(RestFailure) -> DatabaseAbsence? {
        switch databases.place(of: database) {
        case .here: return nil
        case .moving: return .moving
        case .contested: return .contested
        case .elsewhere(let nodes, let epoch):
            guard let node = candidates(nodes).preferred(by: client),
                let host = configuration.clientHosts[node]
            else { throw .noAddress(of: database) }
            return .elsewhere(host: host, epoch: epoch)
        }
    }

    /// Those nodes that this node reaches; all that have an address if it reaches none, since clients may reach more.
    private func candidates(_ nodes: [String]) -> [String] {
        let addressed = nodes.filter { configuration.clientHosts[$0] != nil }
        let reached = addressed.filter(reachedNodes.contains)
        return reached.isEmpty ? addressed : reached
    }

    /// Returns the host of a node that holds a database; nil if clients can use it here, or nowhere.
    func targetHost(of database: DatabaseName, for client: String) -> String? {
        if case .elsewhere(let host, _)? = try? absence(of: database, for: client) {
            host
        } else {
            nil
        }
    }

    /// Checks that clients can use the database of a request here.
    ///
    /// - Throws: A redirect to a node that holds the database, or a refusal that passes.
    func checkPlace(
        of database: DatabaseName, _ head: RequestHead, from client: String
    ) throws(RestFailure) {
        guard let absence = try absence(of: database, for: client) else { return }
        if case .elsewhere(_, let epoch) = absence, let known = head.placement, known > epoch {
            throw .unknownPlacement(of: database)
        }
        throw RestFailure(absence, of: database, head)
    }
}

extension [String] {
    /// The name that a client prefers: the same one as long as it is there, while other clients prefer others (rendezvous
    /// hashing: Thaler and Ravishankar, *Using Name-Based Mappings to Increase Hit Rates*).
    fileprivate func preferred(by client: String) -> String? {
        self.max { (weight(of: $0, for: client), $0) < (weight(of: $1, for: client), $1) }
    }

    /// FNV-1a of both texts.
    private func weight(of name: String, for client: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in [UInt8](client.utf8) + [0] + [UInt8](name.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        // The last bytes of FNV-1a have little effect on the high bits.
        hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 29
    }
}

extension RequestHead {
    /// Name of the parameter with the version of a database's entry in the catalog, as the redirecting node knows it.
    private static let placementParameter = "placement"

    /// The version of a database's entry in the catalog, as the node knew it that has redirected the client; nil without one.
    var placement: UInt64? {
        guard let query = target.queryText, query.contains(Self.placementParameter) else {
            return nil
        }
        return (try? target.parameters())?.first(Self.placementParameter).flatMap { UInt64($0) }
    }

    /// The same request at another host, without a scheme, so that clients keep theirs.
    fileprivate func location(
        at host: String, of database: DatabaseName, epoch: UInt64
    ) -> String {
        let prefix = Self.placementParameter + "="
        var parameters = (target.queryText ?? "").split(separator: "&").map(String.init)
        parameters.removeAll { $0.hasPrefix(prefix) }
        let path = target.pathText
        // The name came from the first label of the host, which the other host does not have.
        if !NativeProtocol.isPath(path) || path == NativeProtocol.path, !database.isDefault,
            databaseParameter.map(\.isEmpty) ?? true, !path.hasPrefix(Self.databasesPath)
        {
            parameters.removeAll { $0 == "ns" || $0 == "ns=" }
            parameters.append("ns=\(database)")
        }
        parameters.append("\(prefix)\(epoch)")
        return "//\(host)\(path)?\(parameters.joined(separator: "&"))"
    }
}

// MARK: - Open sessions

extension Connection {
    /// Ends what waits for a database that clients cannot use here any longer, or sends the client to another node.
    mutating func leaveDatabase(_ context: inout GatewayContext) {
        switch activity {
        case .asking(let request, let exchange, _):
            endSession(&context)
            let isWrite = if case .write = exchange { true } else { false }
            // A write that may have been done must not be repeated unseen.
            let failure = isWrite ? .undecided(database) : RestFailure.moving(database)
            send(Answer(failure), to: request, &context)
            readRequests(&context)
        case .realtime:
            guard let host = context.targetHost(of: database, for: address.host) else {
                fallthrough
            }
            updateRealtime(&context) { session, _ in session.end(redirectedTo: host) }
        default:
            loseDatabase(because: "the database \(database) moves to other nodes", &context)
        }
    }
}

// MARK: - Answers

extension RestFailure {
    /// The answer to a request for a database that is on other nodes.
    init(_ absence: DatabaseAbsence, of database: DatabaseName, _ head: RequestHead) {
        switch absence {
        case .moving: self = .moving(database)
        case .contested: self = .contested(database)
        case .elsewhere(let host, let epoch):
            self.init(
                status: 307, problem: "The database \(database) is on other nodes.",
                fix: "follow the redirect, or use the node \(host)")
            location = head.location(at: host, of: database, epoch: epoch)
        }
        self.absence = absence
    }

    static func moving(_ database: DatabaseName) -> RestFailure {
        var failure = RestFailure(
            status: 503, problem: "The database \(database) moves to other nodes.",
            fix: "try again in a second")
        failure.absence = .moving
        return failure
    }

    static func contested(_ database: DatabaseName) -> RestFailure {
        var failure = RestFailure(
            status: 503, problem: "The database \(database) was placed twice, on different nodes.",
            fix: "`hearth cluster doctor` names both; an administrator chooses one")
        failure.absence = .contested
        return failure
    }

    /// The end of a write whose database has moved before the replica has answered.
    static func undecided(_ database: DatabaseName) -> RestFailure {
        RestFailure(
            status: 504,
            problem:
                "The database \(database) moved to other nodes before the write was confirmed.",
            fix: "read the location, and repeat the write if it is missing")
    }

    static func unknownPlacement(of database: DatabaseName) -> RestFailure {
        .unavailable("it does not know yet where the database \(database) is")
    }

    fileprivate static func noAddress(of database: DatabaseName) -> RestFailure {
        .unavailable("the database \(database) is on nodes whose addresses it does not know")
    }
}

extension RealtimeFarewell {
    /// The end of a WebSocket for a database that clients cannot use here.
    init(_ absence: DatabaseAbsence, because problem: String) {
        switch absence {
        case .elsewhere(let host, _):
            self.init(message: RealtimeText.redirect(to: host), end: SessionEnd(.stopping))
        case .moving, .contested:
            self.init(message: nil, end: SessionEnd(.stopping, problem))
        }
    }
}

extension Answer {
    /// The answer to a page that begins a session with long polls: it connects to another host.
    init(redirectingLongPollTo host: String, callback: String?) {
        // The client never polls this session.
        let nowhere = LongPollCredential(id: "elsewhere", password: "elsewhere")
        let script =
            LongPollText.start(callback: callback, nowhere)
            + LongPollText.messages(RealtimeText.redirect(to: host), number: 0)
        self.init(AnswerText(script), type: "application/javascript; charset=utf-8")
    }
}

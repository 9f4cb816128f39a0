internal import HTTPText
internal import SyncProtocol

/// The database that a request concerns: the one that its parameter `ns` names, else the one that the first label of its host
/// names, else the default database. An address has no labels.
struct DatabaseResolution {
    /// How many unknown names the log reports.
    private static let reportLimit = 100

    let unknown: UnknownDatabases
    /// The most databases that a node has.
    let limit: Int
    /// Whether the node has the databases of its peers. Otherwise an unknown name may be the name of one of them.
    var isComplete: Bool
    /// The names of all databases of the cluster that the node knows.
    private(set) var names: Set<DatabaseName> = []
    /// The places of those that clients cannot use here.
    private var places: [DatabaseName: DatabasePlace] = [:]
    /// The placements of databases that are not on all nodes, and whether their nodes hold the same operations.
    private(set) var placements: [DatabaseName: (placement: DatabasePlacement, isCopied: Bool)] =
        [:]
    /// The other placements of databases that were decided for the same epoch.
    private(set) var rivals: [DatabaseName: DatabasePlacement] = [:]
    /// The nodes of the cluster, and those of them that are evicted.
    var members: [String] = []
    var evicted: [String] = []
    /// The files that the node keeps aside.
    var kept: [KeptDatabase] = []
    private var removed: Set<DatabaseName> = []
    private var reported: Set<String> = []

    init(unknown: UnknownDatabases, limit: Int, isComplete: Bool) {
        (self.unknown, self.limit, self.isComplete) = (unknown, limit, isComplete)
    }

    /// Records the place of a database; returns whether that is another one than before.
    @discardableResult
    mutating func locate(_ name: DatabaseName, _ place: DatabasePlace) -> Bool {
        let before = self.place(of: name)
        if !name.isDefault { names.insert(name) }
        places[name] = place == .here ? nil : place
        return place != before
    }

    /// The place of a database. A database that the node does not know can be created here.
    func place(of name: DatabaseName) -> DatabasePlace { places[name] ?? .here }

    /// Records that a database was removed. From then on, its name means no database.
    mutating func remove(_ name: DatabaseName) {
        names.remove(name)
        places[name] = nil
        (placements[name], rivals[name]) = (nil, nil)
        removed.insert(name)
    }

    /// Records the placement of a database.
    mutating func record(_ placement: DatabasePlacement, of name: DatabaseName, isCopied: Bool) {
        placements[name] = (placement, isCopied)
        rivals[name] = nil
    }

    /// Records another placement of the same epoch.
    mutating func recordRival(_ placement: DatabasePlacement, of name: DatabaseName) {
        rivals[name] = placement
    }

    /// Whether a name is the one of a removed database.
    func isRemoved(_ name: DatabaseName) -> Bool { removed.contains(name) }

    /// Checks that a name is not the one of a removed database.
    func checkIsNotRemoved(_ name: DatabaseName) throws(RestFailure) {
        if removed.contains(name) { throw .removedDatabase(name) }
    }

    /// Checks that a database can be removed.
    func checkRemoval(of name: DatabaseName) throws(RestFailure) {
        try checkIsNotRemoved(name)
        if name.isDefault { throw .defaultDatabase }
        guard names.contains(name) else { throw .unknownDatabase(name.text) }
    }

    /// Returns the database that a text names: `ns` of a URL, or part of the path of a native client.
    ///
    /// - Parameters:
    ///   - isExplicit: Whether the client asks for this database and no other: then an unknown name never means the
    ///     default database. Firebase's clients always send some `ns`.
    ///   - mayCreate: Whether the client wants an unknown database to be created.
    ///   - isPlaced: Whether another node has redirected the client: then an unknown name is one that the node will know soon.
    /// - Throws: The refusal of an unknown or invalid name.
    func database(
        named text: String, isExplicit: Bool = false, mayCreate: Bool = true,
        isPlaced: Bool = false
    ) throws(RestFailure) -> DatabaseName {
        let unknown = mayCreate || unknown != .create ? unknown : .refuse
        let name = DatabaseName(anyCase: text)
        if let name {
            if name.isDefault || names.contains(name) { return name }
            try checkIsNotRemoved(name)
            if isPlaced { throw .unknownPlacement(of: name) }
        }
        guard unknown == .create || isComplete else {
            throw .unavailable("it does not know yet which databases the cluster has")
        }
        switch unknown {
        case .useDefault where !isExplicit: return .default
        case .useDefault, .refuse: throw .unknownDatabase(text)
        case .create:
            guard let name else { throw .databaseName(text) }
            try checkRoom(for: name)
            return name
        }
    }

    /// Checks that a database can be created, whatever `unknown` says.
    func checkRoom(for name: DatabaseName) throws(RestFailure) {
        try checkIsNotRemoved(name)
        guard name.isDefault || names.contains(name) || names.count < limit else {
            throw .tooManyDatabases(limit)
        }
    }

    /// Checks that a client that signs in as an administrator may use a name, by which a database is created perhaps.
    func checkUse(of name: DatabaseName) throws(RestFailure) {
        _ = try database(named: name.text, isExplicit: true)
    }

    /// Returns the database that the first label of a host names, if the node has it.
    private func database(ofHost host: Authority) throws(RestFailure) -> DatabaseName {
        let labels = host.host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 3, !host.isAddress, let name = DatabaseName(String(labels[0]))
        else { return .default }
        try checkIsNotRemoved(name)
        return names.contains(name) ? name : .default
    }

    /// Returns the database of a request.
    func database(of head: RequestHead) throws(RestFailure) -> DatabaseName {
        if let name = head.databaseParameter, !name.isEmpty {
            if isPartOfAddress(name, in: head.authority) { return .default }
            return try database(named: name, isPlaced: head.placement != nil)
        }
        guard !names.isEmpty || !removed.isEmpty, let authority = head.authority else {
            return .default
        }
        return try database(ofHost: authority)
    }

    /// Whether `ns` is the first number of the address that the client uses, and no database of the cluster. SDKs of Firebase
    /// take it for the name of a database: `127` in `http://127.0.0.1:7001`.
    private func isPartOfAddress(_ text: String, in host: Authority?) -> Bool {
        guard let host, host.isAddress, host.host.hasPrefix(text + ".") else { return false }
        return DatabaseName(text).map { !names.contains($0) } ?? false
    }

    /// Returns a line for the log if a request names an unknown database and uses the default one, once for each name.
    mutating func report(_ head: RequestHead, using database: DatabaseName) -> String? {
        guard database.isDefault, unknown == .useDefault, reported.count < Self.reportLimit,
            let text = head.databaseParameter, !text.isEmpty, text != DatabaseName.default.text,
            reported.insert(text).inserted
        else { return nil }
        return
            "clients that name the database \"\(text.prefix(DatabaseName.longest))\" use the default "
            + "database, because there is no database of that name; `unknownDatabases` changes that"
    }
}

extension RequestHead {
    /// Whether the client wants an unknown database to be created, if the cluster creates some.
    var mayCreateDatabase: Bool {
        target.queryText?.split(separator: "&").contains(NativeProtocol.onlyExisting[...]) != true
    }

    /// The parameter `ns`; nil without one, and for a query that cannot be decoded.
    var databaseParameter: String? {
        guard let query = target.queryText, query.contains("ns=") else { return nil }
        return (try? target.parameters())?.first("ns")
    }
}

extension RestFailure {
    static func unknownDatabase(_ text: String) -> RestFailure {
        RestFailure(
            status: 404, problem: "There is no database \(text.prefix(DatabaseName.longest)).",
            fix:
                "create it with `hearth database create`, or name one that `hearth database list` shows",
            namesNoDatabase: true, absentDatabase: DatabaseName(anyCase: text))
    }

    fileprivate static func removedDatabase(_ name: DatabaseName) -> RestFailure {
        RestFailure(
            status: 404, problem: "The database \(name) was removed.",
            fix: "use another name: the name of a removed database is not used again",
            namesNoDatabase: true, absentDatabase: name)
    }

    fileprivate static let defaultDatabase = RestFailure(
        status: 405, problem: "The default database cannot be removed.",
        fix: "remove its data: `hearth remove /`")

    static func databaseName(_ text: String) -> RestFailure {
        RestFailure(
            status: 400,
            problem: "\(text.prefix(DatabaseName.longest)) is not the name of a database.",
            fix:
                "use 1 to \(DatabaseName.longest) characters of a-z, 0-9 and -, not beginning with -",
            namesNoDatabase: true)
    }

    fileprivate static func tooManyDatabases(_ limit: Int) -> RestFailure {
        RestFailure(
            status: 507, problem: "The cluster has \(limit) databases, which is the limit.",
            fix:
                "raise `maxDatabases` in the configuration of all nodes, or remove a database: "
                + "`hearth database remove NAME`",
            namesNoDatabase: true, isPaced: true)
    }
}

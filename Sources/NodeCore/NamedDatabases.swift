internal import GatewayCore
public import ReplicaCore
public import SyncProtocol

// The databases beside the default one. Each has a replica of its own. They share the turns, the gateway and the sockets.

extension NodeCore {
    /// Adds a database that the driver opens before the first turn, or has opened.
    ///
    /// - Returns: Its index, for `open(_:_:)`.
    public mutating func addDatabase(_ name: DatabaseName) -> DatabaseIndex {
        precondition(index(of: name) == nil, "the node has the database \(name) already")
        named.append(NamedDatabase(name))
        inform(.hasDatabase(name))
        return DatabaseIndex(named.count)
    }

    /// Goes on with the replica of a database that the driver has opened.
    public mutating func open(_ database: DatabaseIndex, _ replica: consuming Replica) {
        named[database.position].open(replica)
    }

    /// Ends the sessions of a database that the driver could not open; their next request tries again.
    ///
    /// - Returns: The effects that the driver executes next, in order.
    public mutating func failToOpen(
        _ database: DatabaseIndex, because problem: String
    ) -> [NodeOutput] {
        named[database.position].isOpening = false
        lose(database, because: problem)
        defer { outputs = [] }
        return outputs
    }

    /// The name of a database.
    public func name(of database: DatabaseIndex) -> DatabaseName {
        database.isDefault ? .default : named[database.position].name
    }

    /// The names of all databases but the default one, as the node opened them.
    public var databaseNames: [DatabaseName] { named.map(\.name) }

    /// Whether a replica has work for another turn.
    public var hasDueWork: Bool {
        replica.hasDueWork || named.contains(where: \.hasDueWork)
    }

    /// The replica of a named database; nil for a name that the node does not have. The value is a copy.
    package func replica(of name: DatabaseName) -> Replica? {
        index(of: name).flatMap { named[$0.position].replica }
    }

    private func index(of name: DatabaseName) -> DatabaseIndex? {
        named.firstIndex { $0.name == name }.map { DatabaseIndex($0 + 1) }
    }
}

// MARK: - Sessions

extension NodeCore {
    /// The database of a session.
    func database(of session: SessionID) -> DatabaseIndex {
        sessionDatabases.isEmpty ? .default : sessionDatabases[session] ?? .default
    }

    /// Sets the database of a session before its first input; creates the database if the node does not have it.
    mutating func enter(_ name: DatabaseName, _ session: SessionID) {
        guard !name.isDefault, let database = index(of: name) ?? create(name) else { return }
        sessionDatabases[session] = database
        if !named[database.position].isOpen { requestOpening(of: database) }
    }

    /// Removes a session, and returns its database.
    mutating func leaveDatabase(_ session: SessionID) -> DatabaseIndex {
        guard !sessionDatabases.isEmpty else { return .default }
        return sessionDatabases.removeValue(forKey: session) ?? .default
    }

    /// Adds a database that a client or a peer names; nil if the node has too many.
    private mutating func create(_ name: DatabaseName) -> DatabaseIndex? {
        named.count < databaseLimit ? addDatabase(name) : nil
    }

    private mutating func requestOpening(of database: DatabaseIndex) {
        guard !named[database.position].isOpening else { return }
        named[database.position].isOpening = true
        outputs.append(.openDatabase(database, named[database.position].name))
    }

    /// Ends the sessions of a database that cannot be served.
    private mutating func lose(_ database: DatabaseIndex, because reason: String) {
        _ = named[database.position].removeWaiting()
        inform(.lost(named[database.position].name, reason: reason))
    }
}

// MARK: - Frames of peers

extension NodeCore {
    /// Receives a frame of a peer that concerns a named database. A node opens each database of its peers.
    mutating func receive(_ input: Input, in envelope: DatabaseEnvelope?) {
        // The replica counts and reports what is no frame.
        guard let envelope else { return stepReplica(input, of: .default) }
        guard let database = index(of: envelope.name) ?? create(envelope.name) else { return }
        guard named[database.position].isOpen else {
            return requestOpening(of: database)
        }
        stepReplica(input.replacingFrame(by: envelope.frame), of: database)
    }

    /// Returns an output with its frame in the envelope of its database.
    func wrapped(_ output: Output, of database: DatabaseIndex) -> Output {
        if database.isDefault { return output }
        let name = named[database.position].name
        switch output {
        case .publish(let frame, let urgency):
            return .publish(DatabaseEnvelope(name, frame).bytes, urgency)
        case .ask(let member, let frame): return .ask(member, DatabaseEnvelope(name, frame).bytes)
        case .answer(let member, let frame):
            return .answer(member, DatabaseEnvelope(name, frame).bytes)
        default: return output
        }
    }
}

extension Input {
    /// The same input from a peer with another frame.
    fileprivate func replacingFrame(by frame: [UInt8]) -> Input {
        switch self {
        case .published: .published(frame)
        case .asked(_, let member): .asked(frame, by: member)
        case .answered(_, let member): .answered(frame, from: member)
        default: self
        }
    }
}

// MARK: - Turns

extension NodeCore {
    /// Steps the replica of a named database, without a check of its turn.
    mutating func stepNamed(_ input: Input, of database: DatabaseIndex) -> [Output] {
        named[database.position].replica?.step(input) ?? []
    }

    /// Steps all replicas with an input that concerns the disk of all databases.
    mutating func stepAllReplicas(_ input: Input) {
        for number in 0...named.count { stepReplica(input, of: DatabaseIndex(number)) }
    }

    /// Begins the turn of a named database for an input. Returns false if the input has to wait, or is lost.
    mutating func prepare(_ database: DatabaseIndex, for input: Input) -> Bool {
        beginTurn(of: database)
        if input.session != nil {
            named[database.position].usedMilliseconds = now.elapsedMilliseconds
        }
        if named[database.position].mustWait(input) {
            if !named[database.position].wait(input, at: now.elapsedMilliseconds) {
                lose(database, because: "too many requests wait for the database")
            }
            return false
        }
        return named[database.position].isOpen
    }

    /// Begins the turns of the named databases that have something to do.
    mutating func beginDueTurns() {
        let milliseconds = now.elapsedMilliseconds
        for index in named.indices {
            let database = DatabaseIndex(index + 1)
            if named[index].isDue(at: milliseconds) { beginTurn(of: database) }
            if named[index].isOverdue(at: milliseconds) {
                lose(database, because: "no other node has answered for the database")
            }
        }
    }

    /// Begins the turn of a named database, unless it is in one, and serves what waits for it.
    private mutating func beginTurn(of database: DatabaseIndex) {
        let position = database.position
        guard named[position].isOpen, !named[position].isInTurn else { return }
        named[position].isInTurn = true
        named[position].replica!.unreadBytes = replica.unreadBytes
        execute(stepNamed(.turnBegan(now), of: database), of: database)
        guard named[position].isServing else { return }
        for input in named[position].removeWaiting() {
            execute(stepNamed(input, of: database), of: database)
        }
    }

    /// Ends the turns of named databases.
    mutating func endNamedTurns() {
        for index in named.indices where named[index].isInTurn {
            let outputs = named[index].replica!.step(.turnEnded)
            reportRules(of: index)
            endTurn(at: index, outputs)
        }
    }

    /// Ends the last turns of named databases.
    mutating func stopNamed() {
        for index in named.indices where named[index].isOpen {
            beginTurn(of: DatabaseIndex(index + 1))
            endTurn(at: index, named[index].replica!.stop())
        }
    }

    private mutating func endTurn(at index: Int, _ outputs: [Output]) {
        named[index].hasDueWork = named[index].replica!.hasDueWork
        named[index].endTurn(at: now.elapsedMilliseconds)
        execute(outputs, of: DatabaseIndex(index + 1))
    }

    private mutating func reportRules(of index: Int) {
        let hasRules = named[index].replica!.hasRules
        guard hasRules != named[index].hasRules else { return }
        named[index].hasRules = hasRules
        inform(.hasRules(hasRules, of: named[index].name))
    }

    /// Records that a replica serves: what waits for it is done in the next turn.
    mutating func serve(_ database: DatabaseIndex) {
        guard database.isDefault else {
            named[database.position].isServing = true
            return
        }
        isServing = true
        serviceMilliseconds = now.elapsedMilliseconds
    }

    /// Reports to the gateway, a second after service begins, that the node has the databases of the peers that it reaches. Each
    /// of them sends several heartbeats a second for each of its databases.
    mutating func reportDatabases() {
        guard let since = serviceMilliseconds, now.elapsedMilliseconds >= since + 1_000 else {
            return
        }
        serviceMilliseconds = nil
        inform(.knowsDatabases)
    }
}

extension DatabaseIndex {
    /// The position among the named databases.
    fileprivate var position: Int {
        precondition(number > 0, "the default database is none of the named ones")
        return number - 1
    }
}

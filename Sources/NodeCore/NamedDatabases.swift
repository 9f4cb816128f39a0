public import DataTree
internal import GatewayCore
package import ReplicaCore
public import SyncProtocol

// The databases beside the default one. Each has a replica of its own. They share the turns, the gateway and the sockets.

extension NodeCore {
    /// Adds a database, which sleeps until a client or a peer uses it.
    ///
    /// - Returns: Its index.
    @discardableResult
    public mutating func addDatabase(_ name: DatabaseName) -> DatabaseIndex {
        precondition(indexes[name] == nil, "the node has the database \(name) already")
        named.append(NamedDatabase(name))
        let index = DatabaseIndex(named.count)
        indexes[name] = index
        if name.isCatalog { catalog.position = index.position } else { inform(.hasDatabase(name)) }
        return index
    }

    /// Adds a database that the node's disk has.
    ///
    /// - Parameters:
    ///   - fileBytes: The size of its file, which counts as that of its data until it wakes.
    ///   - digest: That of `digest(of:)` when the files were closed; nil if the files may hold other operations.
    ///   - treeDigest: That of `treeDigest(of:)`.
    ///   - record: The one of the last output `recordPlacement`; nil if there are no files.
    @discardableResult
    public mutating func addStoredDatabase(
        _ name: DatabaseName, fileBytes: Int = 0, digest: UInt64? = nil,
        treeDigest: TreeDigest? = nil, record: PlacementRecord? = PlacementRecord(nil)
    ) -> DatabaseIndex {
        let index = addDatabase(name)
        if name.isCatalog { return index }
        named[index.position].files = record
        if let placement = record?.placement {
            restore(placement, rival: record?.rival, at: index.position)
        }
        named[index.position].past.dataBytes = fileBytes
        named[index.position].past.isEstimate = fileBytes > 0
        named[index.position].digest = digest
        named[index.position].treeDigest = treeDigest
        // Until the database is awake, it may have rules: then its replica refuses what the gateway would refuse without.
        named[index.position].hasRules = true
        inform(.hasRules(true, of: name))
        return index
    }

    /// The name of a database.
    public func name(of database: DatabaseIndex) -> DatabaseName {
        database.isDefault ? .default : named[database.position].name
    }

    /// The names of all databases that the node holds, but the default one and the catalog, as the node opened them.
    public var databaseNames: [DatabaseName] {
        named.lazy.filter(\.isListed).map(\.name)
    }

    /// How many databases the node has, with the default one.
    public var databaseCount: Int { databaseNames.count + 1 }

    /// How many of them do not sleep.
    public var awakeDatabaseCount: Int { active.count { named[$0].isListed } + 1 }

    /// The names of the databases that have a replica, besides the default one.
    public var awakeDatabaseNames: [DatabaseName] {
        active.lazy.filter { named[$0].hasReplica }.map { named[$0].name }
    }

    /// Whether a replica has work for another turn.
    public var hasDueWork: Bool { replica.hasDueWork || namedWithWork > 0 }

    /// The same. Mutating, so that an object that has the core as a property does not copy it for the call.
    public mutating func findsDueWork() -> Bool { hasDueWork }

    /// The replica of a named database; nil while it is asleep, and for a name that the node does not have. The value is a copy.
    package func replica(of name: DatabaseName) -> Replica? {
        indexes[name].flatMap { named[$0.position].copyOfReplica }
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
        if name.isDefault { return }
        leaveDatabase(session)
        guard let database = indexes[name] ?? create(name) else {
            // Its requests must not reach another database.
            sessionDatabases[session] = DatabaseIndex.none
            return inform(.lost(name, reason: "the node cannot have the database"))
        }
        let position = database.position
        guard !named[position].isElsewhere, !named[position].isMoving else {
            sessionDatabases[session] = DatabaseIndex.none
            return inform(.lost(name, reason: "the database moves"))
        }
        if named[position].isContested {
            sessionDatabases[session] = DatabaseIndex.none
            return inform(.lost(name, reason: "two placements of the database were decided"))
        }
        sessionDatabases[session] = database
        named[position].sessionCount += 1
        // Before the driver opens the database, so that the other nodes open it at the same time.
        if named[position].state == .asleep { wakePeers(position) }
        wake(position, for: .used)
    }

    /// Ends the sessions of a database, whose replica gets no further input of them.
    mutating func endSessions(of database: DatabaseIndex, because reason: String) {
        for session in sessionDatabases.keys where sessionDatabases[session] == database {
            sessionDatabases[session] = DatabaseIndex.none
        }
        named[database.position].sessionCount = 0
        lose(database, because: reason)
    }

    /// Removes a session, and returns its database.
    @discardableResult
    mutating func leaveDatabase(_ session: SessionID) -> DatabaseIndex {
        guard !sessionDatabases.isEmpty,
            let database = sessionDatabases.removeValue(forKey: session)
        else { return .default }
        if database != .none { named[database.position].sessionCount -= 1 }
        return database
    }

    /// Adds a database that a client or a peer names; nil if the node has too many, or if it was removed.
    mutating func create(_ name: DatabaseName) -> DatabaseIndex? {
        guard !removed.contains(name), catalog.placement(of: name) == nil else { return nil }
        return name.isCatalog || indexes.count < databaseLimit ? addDatabase(name) : nil
    }

    /// Ends the sessions of a database that cannot be served.
    mutating func lose(_ database: DatabaseIndex, because reason: String) {
        _ = named[database.position].waiting.removeInputs()
        inform(.lost(named[database.position].name, reason: reason))
    }
}

// MARK: - Frames of peers

extension NodeCore {
    /// Receives a frame of a peer that concerns a named database. A node has each database of its peers, unless the catalog
    /// places it elsewhere.
    mutating func receive(_ input: Input, in envelope: DatabaseEnvelope?) {
        // The replica counts and reports what is no frame.
        guard let envelope else { return stepReplica(input, of: .default) }
        guard mayReceive(envelope) else { return }
        guard let database = indexes[envelope.name] ?? create(envelope.name) else {
            return answerUse(of: envelope.name)
        }
        let position = database.position
        if named[position].isElsewhere || named[position].isContested
            || named[position].hasReplica && isOutdated(position)
        {
            return
        }
        wake(position, for: envelope.use)
        let input = input.replacingFrame(by: envelope.frame)
        switch named[position].state {
        case .awake: stepReplica(input, of: database)
        case .opening: named[position].waiting.append(frame: input)
        case .stopping, .closing:
            if named[position].wakesAgain { named[position].waiting.append(frame: input) }
        case .asleep: break
        }
    }

    /// Whether a frame belongs to the placement that the node knows. While the node does not know the catalog yet, only databases
    /// that are awake have one: they woke before the cluster had a catalog.
    private func mayReceive(_ envelope: DatabaseEnvelope) -> Bool {
        guard envelope.epoch == catalog.epoch(of: envelope.name) else { return false }
        let isAwake = indexes[envelope.name].map { named[$0.position].hasReplica } ?? false
        return isAwake || envelope.name.isCatalog || !catalog.isPending
    }

    /// Returns an output with its frame in the envelope of its database.
    func wrapped(_ output: Output, of database: DatabaseIndex) -> Output {
        if database.isDefault { return output }
        let position = database.position
        let use =
            sleepMilliseconds == nil ? .used : named[position].use(at: now.elapsedMilliseconds)
        func wrapped(_ frame: [UInt8]) -> [UInt8] {
            DatabaseEnvelope(named[position].name, epoch: named[position].epoch, use, frame).bytes
        }
        switch output {
        case .publish(let frame, let urgency): return .publish(wrapped(frame), urgency)
        case .ask(let member, let frame): return .ask(member, wrapped(frame))
        case .answer(let member, let frame): return .answer(member, wrapped(frame))
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

extension DatabaseIndex {
    /// The index of the database at a position among the named ones.
    init(position: Int) { self.init(position + 1) }

    /// The position among the named databases.
    var position: Int {
        precondition(number > 0, "the default database is none of the named ones")
        return number - 1
    }
}

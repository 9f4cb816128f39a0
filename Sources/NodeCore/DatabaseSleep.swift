internal import GatewayCore
public import ReplicaCore
internal import SyncProtocol

// The sleep of named databases. To sleep is a clean stop of a replica, and to wake is a start: a replica knows nothing of it.
//
// Each frame between nodes announces the use of its database at the sender. A database stays awake while it has clients, or a
// frame announces that it has some elsewhere. It sleeps some time later, once all reachable nodes have announced the same
// operations. A frame of a database in use wakes it. When a node comes back, those databases wake for a moment that differ there
// (see `PeerReturns.swift`), so that the node gets what it has missed without a client.

extension NodeCore {
    /// How long a database stays awake that wakes for other nodes alone.
    private static let visitMilliseconds: UInt64 = 2_000

    // MARK: Waking

    /// Wakes a database for a use, or keeps it awake.
    mutating func wake(_ position: Int, for use: DatabaseEnvelope.Use) {
        guard use != .idle, !named[position].isRemoved, !named[position].isElsewhere,
            !named[position].isContested
        else { return }
        stayAwake(position, for: use)
        switch named[position].state {
        case .asleep: requestOpening(of: position)
        case .stopping, .closing: named[position].wakesAgain = true
        case .opening, .awake: break
        }
    }

    /// Wakes a database at the other nodes for a client of this one. The request is one that replicas know; its answer is the
    /// heartbeat without which the replica of this node does not serve.
    mutating func wakePeers(_ position: Int) {
        if catalog.isPending { return }
        let name = named[position].name
        let envelope = DatabaseEnvelope(
            name, epoch: catalog.epoch(of: name), .used, PeerMessage.requestHeartbeat.frame)
        outputs.append(
            .replica(.publish(envelope.bytes, .awaited), of: DatabaseIndex(position: position)))
    }

    private mutating func stayAwake(_ position: Int, for use: DatabaseEnvelope.Use) {
        guard let patience = sleepMilliseconds else { return }
        named[position].stayAwake(
            for: use == .used ? patience : min(patience, Self.visitMilliseconds),
            from: now.elapsedMilliseconds)
    }

    private mutating func requestOpening(of position: Int) {
        named[position].state = .opening
        activate(position)
        if catalog.isPending, !named[position].name.isCatalog {
            return catalog.waiting.append(position)
        }
        openFiles(at: position)
    }

    /// Wakes all databases that the node holds: at the start, if they do not sleep and no catalog places them.
    public mutating func openAll() -> [NodeOutput] {
        for position in named.indices where !named[position].isElsewhere {
            wake(position, for: .used)
        }
        return removeOutputs()
    }

    /// Has all databases of the node take their disk for an old one, as soon as the default one knows that it is.
    mutating func followDisk() {
        guard !distrustsDisk, replica.isOnOldDisk else { return }
        distrustsDisk = true
        var closed: [DatabaseName] = []
        for position in named.indices {
            if named[position].hasReplica {
                named[position].replica.distrustDisk()
                activate(position)
            } else if named[position].state == .opening {
                named[position].distrustsDisk = true
            } else {
                closed.append(named[position].name)
            }
        }
        outputs.append(.distrustDatabases(closed))
        outputs.append(
            .gateway(.log("the disk lacks the latest data of this node: it waits for the others")))
    }

    /// Goes on with the replica of a database that the driver has opened, any time after it was asked to.
    public mutating func open(_ database: DatabaseIndex, _ replica: consuming Replica) {
        let position = database.position
        precondition(named[position].state == .opening, "a database opens without request")
        // The replica of a database that has moved meanwhile is outdated, and stops.
        let epoch = named[position].isElsewhere ? 0 : named[position].openingEpoch
        named[position].open(replica, in: epoch)
        if isOutdated(position) { _ = named[position].waiting.removeFrames() }
        named[position].replica.setDatabaseLimits(limits.limits(of: named[position].name))
        if named[position].distrustsDisk {
            named[position].distrustsDisk = false
            named[position].replica.distrustDisk()
        }
        activate(position)
        eager.append(position)
        hasBacklog = true
    }

    /// Ends the sessions of a database that the driver could not open; their next request tries again.
    ///
    /// - Returns: The effects that the driver executes next, in order.
    public mutating func failToOpen(
        _ database: DatabaseIndex, because problem: String
    ) -> [NodeOutput] {
        (named[database.position].state, named[database.position].wakesAgain) = (.asleep, false)
        deactivate(database.position)
        _ = named[database.position].waiting.removeFrames()
        lose(database, because: problem)
        return removeOutputs()
    }

    /// The facts that the replica of a database needs which wakes now; nil while the node starts.
    public var waking: ReplicaConfiguration.Waking? {
        isServing ? .init(awayMembers: awayPeers) : nil
    }

    // MARK: Sleeping

    /// Whether a database can sleep: no node uses it, and all nodes that this one reaches hold the same operations.
    mutating func maySleep(_ position: Int) -> Bool {
        if named[position].isRemoved || named[position].isContested || isOutdated(position) {
            return true
        }
        if named[position].isMoving || named[position].name.isCatalog { return false }
        guard sleepMilliseconds != nil, named[position].isServing,
            named[position].sessionCount == 0, named[position].waiting.isEmpty,
            now.elapsedMilliseconds >= named[position].awakeUntilMilliseconds,
            named[position].replica.isSettled, !named[position].replica.awaitsDisconnects
        else { return false }
        return isSynchronized(position)
    }

    /// Whether all nodes that this one reaches hold the operations of a database that has no clients.
    mutating func isSynchronized(_ position: Int) -> Bool {
        guard sleepMilliseconds != nil, named[position].sessionCount == 0 else { return false }
        return named[position].replica.isSynchronized(with: livePeers)
    }

    /// Stops the replica of a database, which sleeps once the last turn is durable.
    mutating func stopReplica(at position: Int) {
        let outputs = named[position].replica.stop()
        setWork(false, at: position)
        (named[position].state, named[position].isInTurn) = (.stopping, false)
        // The goodbye must not wake the database elsewhere.
        named[position].isSynchronized = true
        execute(outputs, of: DatabaseIndex(position: position))
    }

    /// Has the driver close a database whose last turn is durable.
    mutating func closeIfSettled(_ database: DatabaseIndex) {
        guard !database.isDefault, !isStopped else { return }
        let position = database.position
        guard named[position].state == .stopping, named[position].replica.isSettled else { return }
        named[position].isShown = isShown(position)
        let hasOrphans = named[position].replica.hasOrphans
        named[position].removeReplica()
        // The digest is that of the other operations.
        if hasOrphans { named[position].digest = nil }
        named[position].state = .closing
        outputs.append(.closeDatabase(database))
    }

    /// The digest of the operations that the files of a sleeping database hold; nil if it is unknown. A driver keeps it beside
    /// the files, from their closing until they are opened again, for `addStoredDatabase`.
    public func digest(of database: DatabaseIndex) -> UInt64? { named[database.position].digest }

    /// Records that the driver has closed a database.
    ///
    /// - Returns: The effects that the driver executes next, in order.
    public mutating func didClose(_ database: DatabaseIndex) -> [NodeOutput] {
        let position = database.position
        precondition(named[position].state == .closing, "a database closes without request")
        named[position].state = .asleep
        deactivate(position)
        if named[position].isElsewhere, !isStopped { discard(position) }
        if named[position].wakesAgain, !named[position].isRemoved, !named[position].isContested,
            !isStopped
        {
            named[position].wakesAgain = false
            requestOpening(of: position)
        }
        return removeOutputs()
    }

    private mutating func activate(_ position: Int) {
        let index = active.firstIndex { $0 >= position } ?? active.count
        if index == active.count || active[index] != position {
            active.insert(position, at: index)
        }
    }

    mutating func deactivate(_ position: Int) { active.removeAll { $0 == position } }
}

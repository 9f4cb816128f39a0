internal import GatewayCore
internal import ReplicaCore
package import SyncProtocol

// The placement of databases on nodes. A move changes the catalog twice (see `PlacementChange`). In the first epoch, the nodes of
// both placements hold the database, and none serves clients. Once all of them hold the same operations durably, the second
// epoch leaves out the nodes that give the database away.
//
// To go on in another epoch, a replica stops cleanly and starts with another list of members. A replica knows nothing of epochs:
// the node ignores frames of others.
//
// A node that loses a database deletes its files only if a node that goes on with it has announced all their operations as
// durable. Otherwise the driver keeps the files aside (see `KeptFiles.swift`).

extension NodeCore {
    /// The nodes that hold a database; nil if all nodes hold it. A driver starts the replica of a database with this list.
    public func nodes(of database: DatabaseIndex) -> [String]? {
        catalog.placement(of: name(of: database))?.nodes
    }

    /// The placement of a database as the node knows it; nil if all nodes hold it.
    package func placement(of name: DatabaseName) -> DatabasePlacement? {
        catalog.placement(of: name)
    }

    /// Whether clients can use a database here, as far as its placement is concerned.
    package func serves(_ name: DatabaseName) -> Bool {
        guard isServing, !catalog.isPending else { return false }
        guard let placement = catalog.placement(of: name) else { return true }
        return catalog.rivals[name] == nil && !placement.isMoving
            && placement.nodes.contains(replica.memberName)
    }

    /// Whether the cluster has a catalog, for which databases wait until the node has followed it.
    public var hasCatalog: Bool { catalog.position != nil }

    /// Applies what the catalog says once that is durable, and follows the databases that move.
    mutating func followCatalog() {
        guard let position = catalog.position, isServing else { return }
        wake(position, for: .used)
        guard named[position].isServing, named[position].replica.isSettled else { return }
        let isFirst = catalog.isPending
        if catalog.follow(named[position].replica.vector) {
            let data = named[position].replica.value
            for (name, placement) in DatabaseCatalog.entries(in: data) {
                switch catalog.record(placement, of: name) {
                case .isNewer: place(name, placement)
                case .contradicts: contest(name, placement)
                case .isKnown: break
                }
            }
            setLimits(in: data)
        }
        if isFirst { openWaiting() }
        for position in catalog.moving { reportCopy(at: position) }
    }

    /// Goes on with a database in another epoch.
    private mutating func place(_ name: DatabaseName, _ placement: DatabasePlacement) {
        if removed.contains(name) { return }
        let isHere = placement.nodes.contains(replica.memberName)
        if isHere, indexes[name] == nil { addDatabase(name) }
        inform(.placed(name, placement, isCopied: false))
        inform(.located(name, self.place(of: placement, isHere: isHere)))
        guard let database = indexes[name] else { return }
        endSessions(of: database, because: "the database moves")
        setPlacement(placement, isHere: isHere, at: database.position)
        enterEpoch(at: database.position)
    }

    private func place(of placement: DatabasePlacement, isHere: Bool) -> DatabasePlace {
        if placement.isMoving {
            DatabasePlace.moving
        } else if isHere {
            DatabasePlace.here
        } else {
            DatabasePlace.elsewhere(nodes: placement.nodes, epoch: UInt64(placement.epoch))
        }
    }

    private mutating func setPlacement(
        _ placement: DatabasePlacement, isHere: Bool, at position: Int
    ) {
        // Other nodes go on with the database than when it fell asleep.
        (named[position].isContested, named[position].isShown) = (false, false)
        named[position].isElsewhere = !isHere
        named[position].isMoving = isHere && placement.isMoving
        catalog.moving.removeAll { $0 == position }
        if named[position].isMoving { catalog.moving.append(position) }
    }

    /// Sets the placement in which the node used the files of a database last. The catalog on the disk may be older.
    mutating func restore(
        _ placement: DatabasePlacement, rival: DatabasePlacement?, at position: Int
    ) {
        let name = named[position].name
        let isHere = placement.nodes.contains(replica.memberName)
        _ = catalog.record(placement, of: name)
        inform(.placed(name, placement, isCopied: false))
        inform(.located(name, place(of: placement, isHere: isHere)))
        setPlacement(placement, isHere: isHere, at: position)
        if let rival { contest(name, rival) }
    }

    /// Stops the replica of a database, which belongs to an earlier epoch, and starts it again where that is necessary.
    private mutating func enterEpoch(at position: Int) {
        let isHere = !named[position].isElsewhere
        switch named[position].state {
        case .awake:
            // Its next turn is its last one.
            named[position].wakesAgain = isHere
            eager.append(position)
        case .stopping, .closing: named[position].wakesAgain = isHere
        case .opening:
            // The driver reads the files for the earlier epoch, whose frames are of no use.
            named[position].wakesAgain = isHere
            _ = named[position].waiting.removeFrames()
        case .asleep: if !isHere { discard(position) }
        }
        if named[position].isMoving { wake(position, for: .synchronizing) }
    }

    /// Whether the replica of a database belongs to an earlier epoch.
    func isOutdated(_ position: Int) -> Bool {
        named[position].epoch != catalog.epoch(of: named[position].name)
    }

    // MARK: Files

    /// Whether a node that goes on with a database has announced all operations of its replica here as durable.
    mutating func isShown(_ position: Int) -> Bool {
        guard let placement = catalog.placement(of: named[position].name) else { return false }
        let holders = placement.nodes.filter {
            $0 != replica.memberName && placement.since(of: $0) <= named[position].epoch
        }
        return named[position].replica.isHeld(byAnyOf: holders)
    }

    /// Has the driver delete the files of a database that is on other nodes, or keep them aside.
    mutating func discard(_ position: Int) {
        if named[position].isContested { return }
        let (name, database) = (named[position].name, DatabaseIndex(position: position))
        let isEmpty = named[position].digest == VersionVector().digest
        if isEmpty || named[position].isShown {
            outputs.append(.discardDatabase(database, name))
        } else if let files = named[position].files {
            let epoch = files.placement?.epoch ?? 0
            outputs.append(.keepDatabase(database, name, epoch: epoch))
        }
        (named[position].files, named[position].digest) = (nil, nil)
    }

    /// Has the driver open a database, with files that belong to it.
    mutating func openFiles(at position: Int) {
        let name = named[position].name
        let placement = catalog.placement(of: name)
        if let placement, let files = named[position].files,
            !files.belongs(to: placement, at: replica.memberName)
        {
            discard(position)
        }
        let record = PlacementRecord(placement)
        if placement != nil, named[position].files != record {
            outputs.append(.recordPlacement(name, record))
        }
        named[position].files = record
        named[position].openingEpoch = catalog.epoch(of: name)
        named[position].wakesAgain = false
        outputs.append(.openDatabase(DatabaseIndex(position: position), name))
    }

    // MARK: The start

    /// Opens the databases that have waited until the node followed the catalog.
    private mutating func openWaiting() {
        for position in catalog.waiting {
            if named[position].isElsewhere || named[position].isRemoved
                || named[position].isContested
            {
                (named[position].state, named[position].wakesAgain) = (.asleep, false)
                deactivate(position)
                if named[position].isElsewhere { discard(position) }
            } else {
                openFiles(at: position)
            }
        }
        catalog.waiting = []
        // The process may have ended before the driver had done that.
        for position in named.indices
        where named[position].isElsewhere && named[position].state == .asleep
            && named[position].files != nil
        {
            discard(position)
        }
        for position in catalog.moving { wake(position, for: .synchronizing) }
        guard sleepMilliseconds == nil else { return }
        for position in named.indices where !named[position].isElsewhere {
            wake(position, for: .used)
        }
    }

    // MARK: Moves

    /// Reports that all nodes of a database that moves hold the same operations durably.
    private mutating func reportCopy(at position: Int) {
        guard !named[position].isCopied, named[position].isServing, !isOutdated(position),
            named[position].replica.isSettled,
            let placement = catalog.placement(of: named[position].name)
        else { return }
        let peers = placement.nodes.filter { $0 != replica.memberName }
        guard named[position].replica.isSynchronized(with: peers) else { return }
        named[position].isCopied = true
        inform(.placed(named[position].name, placement, isCopied: true))
    }
}

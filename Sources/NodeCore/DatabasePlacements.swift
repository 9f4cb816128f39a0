internal import GatewayCore
internal import ReplicaCore
package import SyncProtocol

// The placement of databases on nodes. A move changes the catalog twice (see `PlacementChange`). In the first epoch, the nodes of
// both placements hold the database, and none serves clients. Once all of them hold the same operations durably, the second
// epoch leaves out the nodes that give the database away.
//
// To go on in another epoch, a replica stops cleanly and starts with another list of members. A replica knows nothing of epochs:
// the node ignores frames of others.

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
        return !placement.isMoving && placement.nodes.contains(replica.memberName)
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
                if catalog.record(placement, of: name) { place(name, placement) }
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
        let place =
            if placement.isMoving {
                DatabasePlace.moving
            } else if isHere {
                DatabasePlace.here
            } else {
                DatabasePlace.elsewhere(nodes: placement.nodes, epoch: UInt64(placement.epoch))
            }
        if isHere, indexes[name] == nil { addDatabase(name) }
        inform(.placed(name, placement, isCopied: false))
        inform(.located(name, place))
        guard let database = indexes[name] else { return }
        endSessions(of: database, because: "the database moves")
        let position = database.position
        named[position].isElsewhere = !isHere
        named[position].isMoving = isHere && placement.isMoving
        catalog.moving.removeAll { $0 == position }
        if named[position].isMoving { catalog.moving.append(position) }
        enterEpoch(at: position)
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
        case .opening: break
        case .asleep: if !isHere { discard(position) }
        }
        if named[position].isMoving { wake(position, for: .synchronizing) }
    }

    /// Whether the replica of a database belongs to an earlier epoch.
    func isOutdated(_ position: Int) -> Bool {
        named[position].epoch != catalog.epoch(of: named[position].name)
    }

    /// Has the driver delete the files of a database that has moved to other nodes.
    mutating func discard(_ position: Int) {
        let (name, database) = (named[position].name, DatabaseIndex(position: position))
        let isEmpty = named[position].digest == VersionVector().digest
        if catalog.epoch(of: name) == DatabasePlacement.firstEpoch, !isEmpty {
            // The files are those of another database of this name, which only this node has.
            return outputs.append(
                .gateway(
                    .log(
                        "keeps the files of a database \(name) that was created here, while the "
                            + "catalog places the name on other nodes")))
        }
        outputs.append(.discardDatabase(database, name))
    }

    // MARK: The start

    /// Opens the databases that have waited until the node followed the catalog.
    private mutating func openWaiting() {
        for position in catalog.waiting {
            if named[position].isElsewhere || named[position].isRemoved {
                named[position].state = .asleep
                deactivate(position)
                if named[position].isElsewhere { discard(position) }
            } else {
                outputs.append(
                    .openDatabase(DatabaseIndex(position: position), named[position].name))
            }
        }
        catalog.waiting = []
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

internal import GatewayCore
internal import ReplicaCore
public import SyncProtocol

// The exchange of lists of databases between nodes, and the removal of databases. A removed name is not used again: otherwise
// a node that was away could bring back what it holds of the removed database.

extension NodeCore {
    /// How often a node publishes its list while nothing happens. Frames may be lost.
    private static let listMilliseconds: UInt64 = 30_000

    // MARK: Lists

    /// Publishes the list of databases if it is due.
    mutating func publishDueList() {
        guard now.elapsedMilliseconds >= listDueMilliseconds else { return }
        listDueMilliseconds = now.elapsedMilliseconds + Self.listMilliseconds
        if livePeers.isEmpty { return }
        // The catalog names the others.
        let names = indexes.keys.filter { catalog.placement(of: $0) == nil }.sorted()
        for start in stride(from: 0, to: names.count, by: DatabaseList.limit) {
            publish(names: Array(names[start...].prefix(DatabaseList.limit)), removed: [])
        }
        let removed = removed.sorted()
        for start in stride(from: 0, to: removed.count, by: DatabaseList.limit) {
            publish(names: [], removed: Array(removed[start...].prefix(DatabaseList.limit)))
        }
    }

    private mutating func publish(names: [DatabaseName], removed: [DatabaseName]) {
        let list = DatabaseList(of: replica.clusterName, names: names, removed: removed)
        outputs.append(.replica(.publish(list.bytes, .awaited)))
    }

    /// Applies the list of a peer; returns false if the frame is none.
    mutating func receive(list frame: [UInt8]) -> Bool {
        guard let list = DatabaseList(frame), list.cluster == replica.clusterName else {
            return false
        }
        for name in list.removed where !removed.contains(name) { remove(name) }
        for name in list.names where indexes[name] == nil && catalog.placement(of: name) == nil {
            if let database = create(name) {
                visit(database.position)
            } else {
                answerUse(of: name)
            }
        }
        return true
    }

    /// Has the list published soon if a peer still uses a removed database.
    mutating func answerUse(of name: DatabaseName) {
        guard removed.contains(name) else { return }
        listDueMilliseconds = min(listDueMilliseconds, now.elapsedMilliseconds + 1_000)
    }

    // MARK: Removal

    /// Records a removal that the node's disk has.
    public mutating func addRemovedDatabase(_ name: DatabaseName) {
        removed.insert(name)
        inform(.removed(name))
    }

    /// Removes a database: the driver records that and deletes its files, and the peers learn of it.
    mutating func remove(_ name: DatabaseName) {
        guard !name.isDefault, removed.insert(name).inserted else { return }
        let database = indexes.removeValue(forKey: name)
        // Before any answer leaves.
        outputs.append(.removeDatabase(name, database))
        // Before its sessions end, so that their clients learn why.
        inform(.removed(name))
        if let database { endForRemoval(database.position) }
        publish(names: [], removed: [name])
    }

    private mutating func endForRemoval(_ position: Int) {
        named[position].isRemoved = true
        lose(DatabaseIndex(position: position), because: "the database was removed")
        // Its next turn is its last one.
        if named[position].state == .awake { eager.append(position) }
    }
}

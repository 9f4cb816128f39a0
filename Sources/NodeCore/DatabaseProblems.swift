internal import ReplicaCore
public import SyncProtocol

// The named databases that are not in order at this node, for the status of the node. A sleeping database is in order once it has
// been compared with the peers.

extension NodeCore {
    /// How long a replica may lack operations. Under load, it lacks some at most moments.
    private static let lagMilliseconds: UInt64 = 1_000

    /// The problems of named databases, in the order of their names.
    ///
    /// - Complexity: O(databases).
    public mutating func databaseProblems() -> [(name: DatabaseName, problem: String)] {
        var problems: [(name: DatabaseName, problem: String)] = []
        for position in named.indices {
            if let problem = problem(at: position) {
                problems.append((named[position].name, problem))
            }
        }
        return problems.sorted { $0.name < $1.name }
    }

    private mutating func problem(at position: Int) -> String? {
        guard !named[position].isRemoved, !named[position].isElsewhere else { return nil }
        if named[position].isMoving { return "moves, and no node serves it" }
        switch named[position].state {
        case .opening: return "is being opened"
        case .stopping, .closing: return nil
        case .asleep:
            // A second after service begins, the peers have announced what they hold.
            let isNew = !isServing || serviceMilliseconds != nil
            guard named[position].awaitsVisit || isNew, !replica.peerNames.isEmpty else {
                return nil
            }
            return "has yet to be compared with the other nodes"
        case .awake: break
        }
        guard named[position].isServing else {
            return "is starting, and does not serve clients yet"
        }
        let missing = named[position].replica.missingOperations()
        let since = named[position].completeMilliseconds
        guard missing > 0, now.elapsedMilliseconds >= since + Self.lagMilliseconds else {
            return nil
        }
        return "lacks \(missing) operations of the other nodes"
    }

    /// The databases on chosen nodes, this one among them, of which this node holds no operation, with these nodes.
    public mutating func emptyPlacements() -> [(name: DatabaseName, nodes: [String])] {
        var empty: [(name: DatabaseName, nodes: [String])] = []
        for (name, placement) in catalog.placements.sorted(by: { $0.key < $1.key }) {
            guard let position = indexes[name]?.position, named[position].isListed,
                !placement.isMoving
            else { continue }
            let isEmpty =
                named[position].hasReplica
                ? named[position].replica.use().operations == 0
                : named[position].digest == VersionVector().digest
            if isEmpty { empty.append((name, placement.nodes)) }
        }
        return empty
    }
}

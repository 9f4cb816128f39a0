/// A change of the placement of a database, step by step: which request comes next, and what its answer means.
///
/// A move changes the catalog twice. After the first change, no node serves the database, and the nodes of both placements
/// exchange what they lack. After the second one, the new nodes serve it. A change that ends in between can be made again: it
/// goes on where the other one ended.
///
/// Whoever sends the requests calls `readEntry`, `replaceEntry` or `learn` with the answer, until `request` is nil. Then the goal
/// is reached, or there is a `conflict`.
public struct PlacementChange: Sendable {
    /// What to reach.
    public enum Goal: Equatable, Sendable {
        /// A new database is on these nodes alone.
        case created(on: [String])
        /// The database is on these nodes alone.
        case moved(to: [String])
        /// A move that has begun is given up: the nodes of before serve the database again.
        case cancelled
    }

    /// A request of a change.
    public enum Request: Equatable, Sendable {
        /// Read the placement of the database in the catalog, and its entity tag.
        case readEntry
        /// Replace the placement, unless it is another one than the last `readEntry` found.
        case replaceEntry(DatabasePlacement)
        /// Ask each of these nodes what it knows of the placement, again and again.
        case askNodes([String])
    }

    /// A reason why a change cannot go on.
    public enum Conflict: Equatable, Sendable {
        /// The database to create is already placed on these nodes.
        case exists(on: [String])
        /// The database moves to these other nodes.
        case movesElsewhere(to: [String])
        /// There is no move to give up.
        case doesNotMove
        /// Another change was made meanwhile.
        case changedMeanwhile
    }

    private enum Step {
        case begins
        case replaces(DatabasePlacement)
        /// Nodes wait until they hold the same operations.
        case copies(DatabasePlacement, left: [String])
        /// The entry is read again before the last epoch of a move begins.
        case confirms(DatabasePlacement)
        /// Nodes wait until they know the last epoch.
        case announces(DatabasePlacement, left: [String])
        case done
        case ends(Conflict)
    }

    private let goal: Goal
    /// The names of the nodes of the cluster, ascending.
    private let cluster: [String]
    private var step = Step.begins
    /// Whether the database was on the nodes of the goal before.
    public private(set) var wasThere = false
    /// Whether the catalog had a placement of the database before.
    public private(set) var wasPlaced = false

    /// A change in a cluster of nodes with these names.
    public init(_ goal: Goal, in cluster: [String]) {
        (self.goal, self.cluster) = (goal, cluster.sorted())
    }

    /// The next request; nil at the end.
    public var request: Request? {
        switch step {
        case .begins, .confirms: .readEntry
        case .replaces(let placement): .replaceEntry(placement)
        case .copies(_, let left), .announces(_, let left): .askNodes(left)
        case .done, .ends: nil
        }
    }

    /// Why the goal was not reached; nil if it was, and before the end.
    public var conflict: Conflict? { if case .ends(let conflict) = step { conflict } else { nil } }

    /// Whether nodes exchange what they lack, so that no node serves the database.
    public var isCopying: Bool { if case .copies = step { true } else { false } }

    // MARK: Answers

    /// Goes on with the placement that the catalog has; nil if all nodes hold the database.
    public mutating func readEntry(_ entry: DatabasePlacement?) {
        switch step {
        case .begins: begin(from: entry)
        case .confirms(let placement):
            guard entry == placement, let move = placement.move else {
                step = .ends(.changedMeanwhile)
                return
            }
            step = .replaces(DatabasePlacement(epoch: placement.epoch + 1, nodes: move.to))
        case .replaces, .copies, .announces, .done, .ends: return
        }
    }

    private mutating func begin(from entry: DatabasePlacement?) {
        wasPlaced = entry != nil
        switch goal {
        case .created(let nodes):
            if let entry {
                step = .ends(.exists(on: entry.nodes))
                return
            }
            step = .replaces(
                DatabasePlacement(epoch: DatabasePlacement.firstEpoch, nodes: nodes))
        case .moved(let nodes):
            begin(to: nodes.sorted(), from: entry)
        case .cancelled:
            guard let entry, let move = entry.move else {
                step = .ends(.doesNotMove)
                return
            }
            step = .replaces(DatabasePlacement(epoch: entry.epoch + 1, nodes: move.from))
        }
    }

    private mutating func begin(
        to nodes: [String], from entry: DatabasePlacement?
    ) {
        if let entry, let move = entry.move {
            guard move.to == nodes else {
                step = .ends(.movesElsewhere(to: move.to))
                return
            }
            step = .copies(entry, left: entry.nodes)
            return
        }
        let from = entry?.nodes ?? cluster
        if from == nodes {
            (wasThere, step) = (true, .done)
            return
        }
        // The epoch of a creation is for databases without any data.
        let epoch = max(entry?.epoch ?? 0, DatabasePlacement.firstEpoch) + 1
        step = .replaces(DatabasePlacement(epoch: epoch, movingFrom: from, to: nodes))
    }

    /// Goes on once the catalog has the placement, or has refused it because its entry is another one.
    public mutating func replaceEntry(_ isReplaced: Bool) {
        guard case .replaces(let placement) = step else { return }
        guard isReplaced else {
            step = .ends(.changedMeanwhile)
            return
        }
        if placement.isMoving {
            step = .copies(placement, left: placement.nodes)
        } else {
            // The nodes that a cancelled move would have added serve nobody before and after.
            step = .announces(placement, left: goal == .cancelled ? placement.nodes : cluster)
        }
    }

    /// Goes on with the knowledge of a node: the epoch of the placement that it follows, and whether it knows that all nodes of
    /// this epoch hold the same operations.
    public mutating func learn(
        from node: String, epoch: UInt32, isCopied: Bool
    ) {
        switch step {
        case .copies(let placement, var left):
            if epoch > placement.epoch {
                step = .ends(.changedMeanwhile)
                return
            }
            if epoch == placement.epoch, isCopied { left.removeAll { $0 == node } }
            step = left.isEmpty ? .confirms(placement) : .copies(placement, left: left)
        case .announces(let placement, var left):
            if epoch >= placement.epoch { left.removeAll { $0 == node } }
            step = left.isEmpty ? .done : .announces(placement, left: left)
        case .begins, .replaces, .confirms, .done, .ends: return
        }
    }
}

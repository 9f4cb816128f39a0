/// A change of the placement of a database, step by step: which request comes next, and what its answer means.
///
/// A move changes the catalog twice. After the first change, no node serves the database, and the nodes of both placements
/// exchange what they lack. After the second one, the new nodes serve it. A change that ends in between can be made again: it
/// goes on where the other one ended.
///
/// The driver sends each `request`, and calls `readEntry`, `replaceEntry` or `learn` with the answer, until `request` is nil. Then
/// the goal is reached, or there is a `conflict`.
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
        /// Read the entry of the database in the catalog, and its entity tag.
        case readEntry
        /// Replace the entry, unless it is another one than the change has read or written last.
        case replaceEntry(PlacementEntry)
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
        /// All nodes that hold the database have left the cluster, or are evicted.
        case isOnlyOn([String])
        /// The same epoch was decided twice, for these servers and for those. A move to one of them prefers that one.
        case isContested(by: [String], and: [String])
        /// Another change was made meanwhile.
        case changedMeanwhile
    }

    private enum Step {
        case begins
        /// The entry gets a next placement. One that another change has left is written again, because only an acknowledged
        /// write is decided.
        case proposes(PlacementEntry, isOwn: Bool)
        /// The next placement takes effect.
        case decides(DatabasePlacement, isOwn: Bool)
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
    /// The names of the nodes of the cluster that are not evicted, ascending. No step waits for others: they have lost
    /// the database, and keep their files aside when they return.
    private let cluster: [String]
    /// The placements that nodes know instead of the one of the catalog, with the same epoch.
    private let rivals: [DatabasePlacement]
    private var step = Step.begins
    /// Whether the change has gone beyond the reading of the entry.
    private var hasBegun = false
    /// Whether the database was on the nodes of the goal before.
    public private(set) var wasThere = false
    /// Whether the catalog had a placement of the database before.
    public private(set) var wasPlaced = false

    /// A change in a cluster of nodes with these names.
    ///
    /// - Parameters:
    ///   - evicted: Those of them that are evicted.
    ///   - rivals: The placements that nodes know, each instead of another one of the same epoch.
    public init(
        _ goal: Goal, in cluster: [String], without evicted: [String] = [],
        rivals: [DatabasePlacement] = []
    ) {
        (self.goal, self.rivals) = (goal, rivals)
        self.cluster = cluster.filter { !evicted.contains($0) }.sorted()
    }

    /// The next request; nil at the end.
    public var request: Request? {
        switch step {
        case .begins, .confirms: .readEntry
        case .proposes(let entry, _): .replaceEntry(entry)
        case .decides(let placement, _): .replaceEntry(PlacementEntry(placement))
        case .copies(_, let left), .announces(_, let left): .askNodes(left)
        case .done, .ends: nil
        }
    }

    /// Why the goal was not reached; nil if it was, and before the end.
    public var conflict: Conflict? { if case .ends(let conflict) = step { conflict } else { nil } }

    /// Whether nodes exchange what they lack, so that no node serves the database.
    public var isCopying: Bool { if case .copies = step { true } else { false } }

    // MARK: Answers

    /// Goes on with the entry that the catalog has.
    public mutating func readEntry(_ entry: PlacementEntry) {
        switch step {
        case .begins:
            wasPlaced = entry != PlacementEntry(nil)
            if entry.next != nil {
                step = .proposes(entry, isOwn: false)
            } else {
                begin(from: entry.placement)
            }
        case .confirms where entry.next != nil: step = .proposes(entry, isOwn: false)
        // A node that is cut off shows an entry from before the move.
        case .confirms(let placement) where entry.placement?.epoch ?? 0 < placement.epoch: return
        case .confirms(let placement):
            guard entry == PlacementEntry(placement), let move = placement.move else {
                // The coordinator of the catalog may have ended the move.
                let isOver =
                    entry == PlacementEntry(placement.move.map { placement.ended(on: $0.to) })
                step =
                    isOver
                    ? .announces(entry.placement ?? placement, left: cluster)
                    : .ends(.changedMeanwhile)
                return
            }
            replace(placement, by: placement.ended(on: move.to))
        case .proposes, .decides, .copies, .announces, .done, .ends: return
        }
    }

    private mutating func begin(from placement: DatabasePlacement?) {
        switch goal {
        case .created(let nodes):
            if let placement {
                step = .ends(.exists(on: placement.nodes))
            } else {
                replace(nil, by: DatabasePlacement(creatingOn: nodes))
            }
        case .moved(let nodes): begin(to: nodes.sorted(), from: placement)
        case .cancelled:
            if let placement, let move = placement.move {
                replace(placement, by: placement.ended(on: move.from))
            } else {
                step = .ends(.doesNotMove)
            }
        }
    }

    private mutating func begin(to nodes: [String], from placement: DatabasePlacement?) {
        if let placement, let rival = rivals.first(where: { $0.contradicts(placement) }) {
            return prefer(nodes, of: [placement, rival], over: placement)
        }
        // The nodes that take part and have all that was acknowledged.
        let from = (placement?.move?.from ?? placement?.nodes ?? cluster).filter(cluster.contains)
        let isMissing = placement.map { present($0.nodes) != $0.nodes } ?? false
        if let placement, let move = placement.move, move.to != nodes {
            step = .ends(.movesElsewhere(to: move.to))
        } else if let placement, placement.isMoving, !isMissing || from.isEmpty {
            hasBegun = true
            step = .copies(placement, left: present(placement.nodes))
        } else if from.isEmpty {
            step = .ends(.isOnlyOn(placement?.nodes ?? []))
        } else if let placement, !isMissing, from == nodes, hasBegun {
            step = .announces(placement, left: cluster)
        } else if !isMissing, from == nodes {
            (wasThere, step) = (true, .done)
        } else {
            // The epoch of a creation is for databases without any data.
            let epoch = max(placement?.epoch ?? 0, DatabasePlacement.firstEpoch) + 1
            replace(
                placement, by: .moving(placement, from: from, to: nodes, in: epoch))
        }
    }

    /// Prefers the placement with these servers over the other one of the same epoch.
    private mutating func prefer(
        _ nodes: [String], of both: [DatabasePlacement], over cataloged: DatabasePlacement
    ) {
        let servers = both.map { $0.move?.to ?? $0.nodes }
        guard let index = servers.firstIndex(of: nodes) else {
            step = .ends(.isContested(by: servers[0], and: servers[1]))
            return
        }
        replace(cataloged, by: both[index].preferred(over: both[1 - index]))
    }

    /// Those of some nodes that are in the cluster, and are not evicted.
    private func present(_ nodes: [String]) -> [String] { nodes.filter(cluster.contains) }

    private mutating func replace(_ placement: DatabasePlacement?, by next: DatabasePlacement) {
        hasBegun = true
        step = .proposes(PlacementEntry(placement, next: next), isOwn: true)
    }

    /// Goes on once the catalog has the entry, or has refused it because it has another one than before.
    public mutating func replaceEntry(_ isReplaced: Bool) {
        switch step {
        case .proposes where !isReplaced, .decides where !isReplaced:
            // Another one may have taken the same step.
            if case .created = goal { step = .ends(.changedMeanwhile) } else { step = .begins }
        case .proposes(let entry, let isOwn):
            if let next = entry.next { step = .decides(next, isOwn: isOwn) }
        case .decides(let placement, isOwn: false): begin(from: placement)
        case .decides(let placement, isOwn: true):
            if placement.isMoving {
                step = .copies(placement, left: present(placement.nodes))
            } else {
                // The nodes that a cancelled move would have added serve no clients before and after.
                let left = goal == .cancelled ? present(placement.nodes) : cluster
                step = left.isEmpty ? .done : .announces(placement, left: left)
            }
        case .begins, .copies, .confirms, .announces, .done, .ends: return
        }
    }

    /// Goes on with the knowledge of a node: the epoch of the placement that it follows, and whether it knows that all nodes of
    /// this epoch hold the same operations.
    public mutating func learn(from node: String, epoch: UInt32, isCopied: Bool) {
        switch step {
        case .copies(let placement, var left):
            if epoch > placement.epoch {
                step = .confirms(placement)
                return
            }
            if epoch == placement.epoch, isCopied { left.removeAll { $0 == node } }
            step = left.isEmpty ? .confirms(placement) : .copies(placement, left: left)
        case .announces(let placement, var left):
            if epoch >= placement.epoch { left.removeAll { $0 == node } }
            step = left.isEmpty ? .done : .announces(placement, left: left)
        case .begins, .proposes, .decides, .confirms, .done, .ends: return
        }
    }
}

internal import DataTree
internal import GatewayCore
internal import ReplicaCore
internal import SyncProtocol

// Moves whose commands have ended before them. No node serves a database meanwhile, so the coordinator of the catalog goes on with
// such a move: by the steps of a command, as an administrator of the catalog. A command that goes on as well does no harm,
// since each step is a transaction.

/// The databases that move, or of which a placement is proposed, as the catalog has them.
struct OpenMoves {
    /// How long a command has for its next step once that is possible.
    fileprivate static let stepMilliseconds: UInt64 = 10_000
    /// How long a write to the catalog may take.
    fileprivate static let answerMilliseconds: UInt64 = 5_000
    /// How often the coordinator looks.
    fileprivate static let lookMilliseconds: UInt64 = 1_000
    /// How long a move waits for a node that is away until it is given up. Tests set less.
    var awayMilliseconds: UInt64 = 300_000
    /// The session at the replica of the catalog. No driver counts so far.
    static let session = SessionID(number: .max)

    fileprivate struct Move {
        let entry: PlacementEntry
        /// Since when the entry is the same.
        let sinceMilliseconds: UInt64
        /// Since when the next step is possible; nil while it is not.
        var possibleMilliseconds: UInt64?
    }

    fileprivate var moves: [DatabaseName: Move] = [:]
    /// The changes that wait for the answer to a write, by the number of this.
    fileprivate var pending: [UInt64: (name: DatabaseName, change: PlacementChange)] = [:]
    /// The changes whose writes are done.
    fileprivate var answered: [(name: DatabaseName, change: PlacementChange)] = []
    fileprivate var lastNumber: UInt64 = 0
    fileprivate var dueMilliseconds: UInt64 = 0
    fileprivate var hasSession = false

    /// Records the entry of a database that moves, and whether its next step is possible.
    fileprivate mutating func record(
        _ entry: PlacementEntry, of name: DatabaseName, isPossible: Bool, at milliseconds: UInt64
    ) {
        if moves[name]?.entry != entry {
            moves[name] = Move(entry: entry, sinceMilliseconds: milliseconds)
        }
        if !isPossible {
            moves[name]?.possibleMilliseconds = nil
        } else if moves[name]?.possibleMilliseconds == nil {
            moves[name]?.possibleMilliseconds = milliseconds
        }
    }
}

extension NodeCore {
    private var clusterMembers: [String] { (replica.peerNames + [replica.memberName]).sorted() }

    /// Goes on with the moves that have not gone on for some time, if this node is the coordinator of the catalog.
    mutating func continueMoves() {
        goOn()
        guard now.elapsedMilliseconds >= openMoves.dueMilliseconds, let position = catalog.position,
            !catalog.isPending, named[position].isServing, named[position].state == .awake
        else { return }
        openMoves.dueMilliseconds = now.elapsedMilliseconds + OpenMoves.lookMilliseconds
        let entries = DatabaseCatalog.openEntries(in: named[position].replica.value)
        let names = Set(entries.map(\.0))
        openMoves.moves = openMoves.moves.filter { names.contains($0.key) }
        if entries.isEmpty { return }
        for (name, entry) in entries {
            openMoves.record(
                entry, of: name, isPossible: isPossible(entry, of: name),
                at: now.elapsedMilliseconds)
        }
        guard named[position].replica.coordinatorMember == replica.memberName,
            openMoves.pending.isEmpty
        else { return }
        // An administrator chooses one of two placements.
        for (name, entry) in entries
        where !removed.contains(name) && catalog.rivals[name] == nil {
            guard let goal = dueGoal(of: name) else { continue }
            var change = PlacementChange(goal, in: clusterMembers, without: evictedMembers)
            change.readEntry(entry)
            request(change, of: name, after: entry)
        }
    }

    /// Whether the next step is possible: it is proposed, or all nodes hold the same operations.
    private func isPossible(_ entry: PlacementEntry, of name: DatabaseName) -> Bool {
        guard entry.next == nil, let placement = entry.placement else { return true }
        return placement.nodes.allSatisfy { hasCopied(name, at: $0) || !isPresent($0) }
    }

    private func hasCopied(_ name: DatabaseName, at node: String) -> Bool {
        guard node == replica.memberName else {
            return catalog.copied[name]?.contains(node) == true
        }
        return indexes[name].map { named[$0.position].isCopied } ?? false
    }

    /// Whether a node is in the cluster, and not evicted.
    private func isPresent(_ node: String) -> Bool {
        clusterMembers.contains(node) && !evictedMembers.contains(node)
    }

    /// The goal of a move that has not gone on for too long; nil for another one.
    private func dueGoal(of name: DatabaseName) -> PlacementChange.Goal? {
        guard let move = openMoves.moves[name] else { return nil }
        let placement = move.entry.next ?? move.entry.placement
        if let since = move.possibleMilliseconds {
            guard now.elapsedMilliseconds >= since + OpenMoves.stepMilliseconds else { return nil }
            return .moved(to: placement?.move?.to ?? placement?.nodes ?? [])
        }
        let isLate = now.elapsedMilliseconds >= move.sinceMilliseconds + openMoves.awayMilliseconds
        let isAway =
            placement?.nodes.contains { $0 != replica.memberName && !livePeers.contains($0) }
            ?? false
        return isLate && isAway ? .cancelled : nil
    }

    /// Sends the next write of a change to the catalog, if there is one.
    private mutating func request(
        _ change: PlacementChange, of name: DatabaseName, after entry: PlacementEntry
    ) {
        var change = change
        while let request = change.request {
            switch request {
            case .readEntry: change.readEntry(entry)
            case .replaceEntry(let next):
                return write(next, of: name, after: entry, in: change)
            case .askNodes(let nodes):
                guard change.isCopying, let epoch = entry.placement?.epoch,
                    nodes.allSatisfy({ hasCopied(name, at: $0) })
                else { return }
                for node in nodes { change.learn(from: node, epoch: epoch, isCopied: true) }
            }
        }
    }

    private mutating func write(
        _ next: PlacementEntry, of name: DatabaseName, after entry: PlacementEntry,
        in change: PlacementChange
    ) {
        guard let position = catalog.position else { return }
        let database = DatabaseIndex(position: position)
        if !openMoves.hasSession {
            openMoves.hasSession = true
            sessionDatabases[OpenMoves.session] = database
            stepReplica(.opened(OpenMoves.session), of: database)
            stepReplica(
                .identified(OpenMoves.session, .administrator(name: nil)), of: database)
        }
        openMoves.lastNumber += 1
        openMoves.pending[openMoves.lastNumber] = (name, change)
        let path = Path(
            [Key(unchecked: "databases"), Key(unchecked: name.text), Key(unchecked: "placement")])
        let message = ClientMessage.put(
            id: openMoves.lastNumber, path: path, value: next.value,
            condition: Condition(
                DataHash(of: entry.value), patienceMilliseconds: OpenMoves.answerMilliseconds))
        outputs.append(
            .gateway(
                .log("goes on with the placement of the database \(name), whose command ended")))
        stepReplica(.requestedMessages([message], by: OpenMoves.session), of: database)
    }

    /// Records the answers to writes. A change whose write was refused is made again later.
    mutating func receive(_ answers: [SessionAnswer]) {
        for answer in answers {
            guard let id = answer.message.answeredID,
                let answered = openMoves.pending.removeValue(forKey: id)
            else { continue }
            if case .error = answer.message { continue }
            openMoves.answered.append(answered)
        }
    }

    /// Goes on with the changes whose writes are done.
    private mutating func goOn() {
        let answered = openMoves.answered
        openMoves.answered = []
        for (name, change) in answered {
            guard case .replaceEntry(let entry)? = change.request else { continue }
            var next = change
            next.replaceEntry(true)
            request(next, of: name, after: entry)
        }
    }
}

extension DatabaseCatalog {
    /// The entries of databases that move, or of which a placement is proposed, ascending by name.
    fileprivate static func openEntries(in value: Value) -> [(DatabaseName, PlacementEntry)] {
        value[Key(unchecked: "databases")].children.compactMap { key, value in
            guard let name = DatabaseName(key.text), !name.isDefault,
                let entry = PlacementEntry(value[Key(unchecked: "placement")]),
                entry.next != nil || entry.placement?.isMoving == true
            else { return nil }
            return (name, entry)
        }
    }
}

internal import GatewayCore
internal import ReplicaCore
internal import SyncProtocol

// The turns of named databases. A turn of the node includes those of the databases that have input or are due. Its cost does
// not grow with the number of the others.

extension NodeCore {
    /// The longest time between two searches for databases that are due.
    private static let searchMilliseconds: UInt64 = 1_000

    /// Steps the replica of a named database, without a check of its turn.
    mutating func stepNamed(_ input: Input, of database: DatabaseIndex) -> [Output] {
        guard named[database.position].hasReplica else { return [] }
        if !named[database.position].isStepped {
            named[database.position].isStepped = true
            stepped.append(database.position)
        }
        return named[database.position].replica.step(input)
    }

    /// Steps all replicas with an input that concerns the disk of all databases.
    mutating func stepAllReplicas(_ input: Input) {
        stepReplica(input, of: .default)
        for position in active where named[position].state == .awake {
            stepReplica(input, of: DatabaseIndex(position: position))
        }
    }

    /// Begins the turn of a named database for an input. Returns false if the input has to wait, or is lost.
    mutating func prepare(_ database: DatabaseIndex, for input: Input) -> Bool {
        let position = database.position
        beginTurn(at: position)
        guard input.session != nil else { return named[position].state == .awake }
        named[position].recordUse(
            at: now.elapsedMilliseconds, sleepingAfter: sleepMilliseconds)
        if named[position].mustWait(input) {
            if !named[position].waiting.append(input, at: now.elapsedMilliseconds) {
                lose(database, because: "too many requests wait for the database")
            }
            return false
        }
        return named[position].state == .awake
    }

    /// Begins the turns of the named databases that have something to do.
    mutating func beginDueTurns() {
        let positions = eager
        eager = []
        for position in positions { beginTurn(at: position) }
        let milliseconds = now.elapsedMilliseconds
        guard namedWithWork > 0 || milliseconds >= searchDueMilliseconds else { return }
        searchDueMilliseconds = milliseconds + Self.searchMilliseconds
        for position in active {
            if named[position].isOverdue(at: milliseconds) {
                lose(
                    DatabaseIndex(position: position),
                    because: "no other node has answered for the database")
            }
            if named[position].isDue(at: milliseconds) {
                beginTurn(at: position)
            } else if named[position].state == .awake {
                searchDueMilliseconds = min(
                    searchDueMilliseconds, named[position].dueMilliseconds)
            }
        }
    }

    /// Begins the turn of a named database, unless it is in one, and serves what waits for it.
    private mutating func beginTurn(at position: Int) {
        guard named[position].state == .awake, !named[position].isInTurn else { return }
        let database = DatabaseIndex(position: position)
        named[position].isInTurn = true
        inTurn.append(position)
        named[position].replica.unreadBytes = replica.unreadBytes
        execute(stepNamed(.turnBegan(now), of: database), of: database)
        for input in named[position].waiting.removeFrames() {
            execute(stepNamed(input, of: database), of: database)
        }
        guard named[position].isServing else { return }
        for input in named[position].waiting.removeInputs() {
            execute(stepNamed(input, of: database), of: database)
        }
    }

    /// Ends the turns of named databases.
    mutating func endNamedTurns() {
        let positions = inTurn
        inTurn.removeAll(keepingCapacity: true)
        for position in positions {
            if maySleep(position) {
                stopReplica(at: position)
                continue
            }
            let outputs = named[position].replica.step(.turnEnded)
            reportRules(of: position)
            endTurn(at: position, outputs)
        }
    }

    /// Ends the last turns of named databases.
    mutating func stopNamed() {
        for position in active where named[position].state == .awake {
            beginTurn(at: position)
            endTurn(at: position, named[position].replica.stop())
        }
    }

    private mutating func endTurn(at position: Int, _ outputs: [Output]) {
        setWork(named[position].replica.hasDueWork, at: position)
        named[position].isSynchronized = isSynchronized(position)
        if named[position].replica.missingOperations() == 0 {
            named[position].completeMilliseconds = now.elapsedMilliseconds
        }
        named[position].endTurn(at: now.elapsedMilliseconds)
        searchDueMilliseconds = min(searchDueMilliseconds, named[position].dueMilliseconds)
        execute(outputs, of: DatabaseIndex(position: position))
    }

    /// Records whether a replica has work for another turn.
    mutating func setWork(_ hasWork: Bool, at position: Int) {
        guard hasWork != named[position].hasDueWork else { return }
        named[position].hasDueWork = hasWork
        namedWithWork += hasWork ? 1 : -1
    }

    private mutating func reportRules(of position: Int) {
        let hasRules = named[position].replica.hasRules
        guard hasRules != named[position].hasRules else { return }
        named[position].hasRules = hasRules
        inform(.hasRules(hasRules, of: named[position].name))
    }

    /// Records that a replica serves: what waits for it is done in the next turn.
    mutating func serve(_ database: DatabaseIndex) {
        guard database.isDefault else {
            named[database.position].isServing = true
            eager.append(database.position)
            return
        }
        isServing = true
        serviceMilliseconds = now.elapsedMilliseconds
    }

    /// Reports to the gateway, a second after service begins, that the node has the databases of the peers that it reaches. Each
    /// of them has named its databases by then.
    mutating func reportDatabases() {
        guard let since = serviceMilliseconds, now.elapsedMilliseconds >= since + 1_000,
            !catalog.isPending
        else { return }
        serviceMilliseconds = nil
        inform(.knowsDatabases)
    }
}

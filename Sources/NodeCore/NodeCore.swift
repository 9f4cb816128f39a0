public import GatewayCore
public import ReplicaCore
internal import SyncProtocol

/// A node without its clock, disk and sockets: the replicas of its databases, the gateway of the HTTP port, the limits for slow
/// clients, and the order in which a turn steps all of them.
///
/// Equal cores given equal inputs return equal outputs. A driver owns one, and does not copy it while in use.
public struct NodeCore {
    /// How often a gateway with clients gets a turn, even without input.
    private static let tickMilliseconds: UInt64 = 500

    /// The replica of the default database. A driver observes it and sets facts that only the driver knows; the core alone
    /// steps it.
    public package(set) var replica: Replica
    /// The other databases: that of index 1 is the first.
    var named: [NamedDatabase] = []
    /// The databases by their names.
    var indexes: [DatabaseName: DatabaseIndex] = [:]
    /// The positions in `named` of the databases that do not sleep, ascending.
    var active: [Int] = []
    /// The positions of the databases that are in a turn.
    var inTurn: [Int] = []
    /// The positions of the databases that have had inputs since the last `removeRequestRecords`.
    var stepped: [Int] = []
    /// The positions of the databases that need a turn at once.
    var eager: [Int] = []
    /// How many named databases have work for another turn.
    var namedWithWork = 0
    /// When to look next for named databases that are due.
    var searchDueMilliseconds: UInt64 = 0
    /// After how long without use a named database sleeps; nil if databases do not sleep, because they have no files.
    public var sleepMilliseconds: UInt64?
    /// The peers that the node reaches, and when it looks again.
    var livePeers: [String] = []
    var peersDueMilliseconds: UInt64 = 0
    var returns = PeerReturns()
    /// The evicted nodes, as the gateway knows them once they are reported.
    var evictedMembers: [String] = []
    var hasReportedMembers = false
    /// Whether the databases that were not closed in order have been looked at.
    var hasVisitedUnclosed = false
    var catalog = DatabaseCatalog()
    var openMoves = OpenMoves()
    var digestsDueMilliseconds: UInt64 = 0
    /// The names of removed databases, and when the node publishes its list of databases.
    var removed: Set<DatabaseName> = []
    var listDueMilliseconds: UInt64 = 0
    /// Whether the node makes the catalog with the cluster; otherwise the first change of a placement does.
    public var makesCatalog = false
    /// The peers that have published news.
    var knowingPeers: Set<String> = []
    /// When the node publishes the placements of its databases, and those of databases that move.
    var newsDueMilliseconds: UInt64 = 0
    var newsRepeats = 0
    var movingNewsDueMilliseconds: UInt64 = 0
    /// The limits of databases.
    var limits: DatabaseLimitTable
    /// The most named databases.
    let databaseLimit: Int
    /// The databases of sessions, except those of the default database.
    var sessionDatabases: [SessionID: DatabaseIndex] = [:]
    private var gateway: Gateway
    private var backlog = GatewayBacklog()
    private var slowClients: SlowClients
    /// Changes of slow clients between turns.
    private var slowChanges: [(session: SessionID, change: SlowClients.Change)] = []
    /// The connections of native clients.
    private var natives: Set<SessionID> = []
    /// Whether the next turn has work, without any input, that waits neither for the disk nor for clients.
    public internal(set) var hasBacklog = false
    /// Whether the node serves clients, as the gateway knows since the beginning of the turn.
    public private(set) var availability = Availability.unavailable(reason: "starting")
    /// Whether the replica has begun to serve.
    public internal(set) var isServing = false
    /// Why the disk accepts no writes, if it does not. A change has an effect from the next turn on.
    public var storageTrouble: StorageTrouble?
    /// Whether a client has ever connected to the HTTP port. Until then the gateway gets no turns.
    package private(set) var hasHadConnections = false
    /// Whether the default database has found its disk to be an old one.
    var distrustsDisk = false
    /// The steps of the replica since the last `removeSteps`; nil if they are not observed.
    private var steps: [ReplicaStep]?
    private(set) var isStopped = false
    private var hasRules = false
    /// When the replica began to serve; nil before that, and once the gateway knows that all databases are known.
    var serviceMilliseconds: UInt64?
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private(set) var isInTurn = false
    private var isInGatewayTurn = false
    /// Whether the gateway processes answers, while the replica may be in the middle of the end of a turn.
    private var isAnswering = false
    /// When the gateway gets its next turn, even without input.
    private var dueMilliseconds: UInt64 = 0
    var outputs: [NodeOutput] = []

    /// A node whose replica has recovered, and that has no clients.
    public init(_ replica: Replica, _ configuration: GatewayConfiguration) {
        self.replica = replica
        databaseLimit = configuration.databaseLimit
        limits = configuration.databaseLimits
        gateway = Gateway(configuration)
        slowClients = SlowClients(
            pausedAbove: configuration.backpressureBytes,
            // The replica needs the rest for answers that have not left it.
            limit: configuration.waitingBytes / 4 * 3)
        self.replica.setDatabaseLimits(limits.limits(of: .default))
    }

    /// Processes one input, and returns the effects that the driver executes next, in order.
    public mutating func step(_ input: NodeInput) -> [NodeOutput] {
        switch input {
        case .turnBegan(let moment): beginTurn(at: moment)
        case .replica(let input, let database): receive(input, of: database)
        case .stored(let turn, let moment, let database):
            store(turn, at: moment, of: database)
        // It concerns no connection.
        case .gateway(.turnTook(let nanoseconds)):
            _ = gateway.step(.turnTook(nanoseconds: nanoseconds))
        case .gateway(let input): receive(input)
        case .unsent(let session, let bytes): record(bytes, of: session)
        case .turnEnded: endTurn()
        case .stopped: stop()
        }
        hasBacklog =
            !backlog.isEmpty || !slowChanges.isEmpty || !eager.isEmpty || gateway.hasDueWork
        return removeOutputs()
    }

    /// Whether the open turn has time for further input of clients: all its work so far, that of the gateway and of all databases,
    /// is below a part of its units.
    public mutating func hasTime(percent: Int) -> Bool {
        if !isInTurn { return true }
        let spent = inTurn.reduce(gateway.turnUnits + replica.turnUnits) { sum, position in
            sum + (named[position].hasReplica ? named[position].replica.turnUnits : 0)
        }
        return spent < NodeCore.turnUnits * percent / 100
    }

    private static let turnUnits = ReplicaLimits().turnUnits

    mutating func removeOutputs() -> [NodeOutput] {
        if outputs.isEmpty { return [] }
        var removed: [NodeOutput] = []
        swap(&removed, &outputs)
        return removed
    }
}

// MARK: - The order of a turn

extension NodeCore {
    private mutating func beginTurn(at moment: Moment) {
        precondition(!isInTurn, "a turn begins in another one")
        (now, isInTurn) = (moment, true)
        gateway.beginUnits()
        if !isStopped {
            replica.unreadBytes = slowClients.bytes
            execute(replica.step(.turnBegan(moment)))
            // Before any request of this turn.
            become(
                Availability(
                    isRunning: true, isServing: isServing, awaited: replica.awaitedMembers,
                    storageTrouble: storageTrouble, isEvicted: replica.isOut))
            reportDatabases()
            followDisk()
            followPeers()
            followCatalog()
            continueMoves()
            beginDueTurns()
        }
        guard hasHadConnections else { return }
        applySlowChanges()
        // Requests of earlier turns come before those of this one.
        sendRequests()
        for session in backlog.removeWritable() { stepGateway(.writable(session)) }
        if now.elapsedMilliseconds >= dueMilliseconds || gateway.hasDueWork { beginGatewayTurn() }
    }

    private mutating func endTurn() {
        if !isStopped {
            let outputs = observedStep(.turnEnded)
            // Before the gateway gets the answers of this turn, after which it reads further requests.
            reportRules()
            execute(outputs)
            endNamedTurns()
        }
        endGatewayTurn()
        isInTurn = false
    }

    private mutating func stop() {
        become(.unavailable(reason: "stopping"))
        sendRequests()
        execute(replica.stop())
        stopNamed()
        isStopped = true
        endGatewayTurn()
        isInTurn = false
    }

    /// Lets outputs leave that waited for a turn. The answers among them are a turn of the gateway by themselves.
    private mutating func store(_ turn: UInt64, at moment: Moment, of database: DatabaseIndex) {
        precondition(!isInTurn, "`stored` between turns arrives in one")
        now = moment
        execute(step(.stored(turn: turn), of: database), of: database)
        closeIfSettled(database)
        endGatewayTurn()
    }
}

// MARK: - The replicas

extension NodeCore {
    private mutating func receive(_ input: Input, of database: DatabaseIndex) {
        switch input {
        // The end of the last turn waits for it.
        case .stored:
            execute(step(input, of: database), of: database)
            closeIfSettled(database)
        case .requested(_, let session):
            // A native client may have been identified by a request that waits.
            sendRequests()
            stepReplica(input, of: self.database(of: session))
        case .closed(let session):
            natives.remove(session)
            stepReplica(input, of: leaveDatabase(session))
        case .published(let frame), .asked(let frame, _), .answered(let frame, _):
            if DatabaseEnvelope.isPresent(in: frame) {
                receive(input, in: DatabaseEnvelope(frame))
            } else if DatabaseList.isPresent(in: frame), receive(list: frame) {
                return
            } else if DatabaseDigests.isPresent(in: frame), receive(digests: frame) {
                return
            } else if PlacementNews.isPresent(in: frame), receive(news: frame) {
                return
            } else if SleepingTrees.isPresent(in: frame), receive(trees: frame) {
                return
            } else {
                stepReplica(input, of: .default)
            }
        case .storageFailed, .storageWorks: stepAllReplicas(input)
        default: stepReplica(input, of: database)
        }
    }

    /// Steps a replica with an input that needs a turn.
    mutating func stepReplica(_ input: Input, of database: DatabaseIndex) {
        precondition(isInTurn, "an input arrives between turns")
        if isStopped || database == .none { return }
        if database.isDefault { return execute(observedStep(input)) }
        if prepare(database, for: input) { execute(step(input, of: database), of: database) }
    }

    private mutating func step(_ input: Input, of database: DatabaseIndex) -> [Output] {
        database.isDefault ? replica.step(input) : stepNamed(input, of: database)
    }

    private mutating func observedStep(_ input: Input) -> [Output] {
        guard steps != nil else { return replica.step(input) }
        return input.parts.flatMap { part in
            let (outputs, step) = replica.observeStep(part)
            steps!.append(step)
            return outputs
        }
    }

    mutating func execute(_ replicaOutputs: [Output], of database: DatabaseIndex = .default) {
        for output in replicaOutputs {
            switch output {
            case .reply(let session, _), .replyLarge(let session, _):
                // A session of this number may have gone on to another database.
                guard self.database(of: session) == database else { continue }
                send(.replica(output, of: database), to: session)
            case .replyMessages(OpenMoves.session, let answers): receive(answers)
            case .replyMessages(let session, let answers):
                guard self.database(of: session) == database else { continue }
                outputs.append(.replica(output, of: database))
                isAnswering = true
                stepGateway(.answered(session, answers))
                isAnswering = false
            case .serve:
                outputs.append(.replica(output, of: database))
                serve(database)
            case .publish, .ask, .answer:
                outputs.append(.replica(wrapped(output, of: database), of: database))
            default: outputs.append(.replica(output, of: database))
            }
        }
    }

    /// Sets how long a move waits for a node that is away until it is given up.
    package mutating func setMovePatience(milliseconds: UInt64) {
        openMoves.awayMilliseconds = milliseconds
    }

    /// Begins to observe each step of the replica.
    package mutating func observeSteps() { steps = [] }

    /// Removes and returns the observed steps.
    package mutating func removeSteps() -> [ReplicaStep] {
        guard let steps, !steps.isEmpty else { return [] }
        self.steps = []
        return steps
    }
}

// MARK: - The gateway

extension NodeCore {
    /// The memory that the gateway keeps for its clients.
    package var gatewayUsage: GatewayUsage { gateway.usage }

    private mutating func receive(_ input: GatewayInput) {
        switch input {
        case .opened: hasHadConnections = true
        case .closed(let session):
            natives.remove(session)
            slowClients.remove(session)
        default: break
        }
        stepGateway(input)
    }

    mutating func stepGateway(_ input: GatewayInput) {
        beginGatewayTurn()
        execute(gateway.step(input))
    }

    /// Begins the gateway's part of a turn, which most turns do not have.
    private mutating func beginGatewayTurn() {
        guard !isInGatewayTurn else { return }
        isInGatewayTurn = true
        dueMilliseconds = now.elapsedMilliseconds + NodeCore.tickMilliseconds
        execute(gateway.step(.turnBegan(now)))
    }

    private mutating func endGatewayTurn() {
        guard isInGatewayTurn else { return }
        execute(gateway.step(.turnEnded))
        isInGatewayTurn = false
    }

    private mutating func become(_ next: Availability) {
        guard next != availability else { return }
        availability = next
        stepGateway(.became(next))
    }

    private mutating func reportRules() {
        guard replica.hasRules != hasRules else { return }
        hasRules.toggle()
        execute(gateway.step(.hasRules(hasRules)))
    }

    /// Passes a fact about a database to the gateway, which has no effect by itself.
    mutating func inform(_ fact: GatewayInput) { execute(gateway.step(fact)) }

    private mutating func execute(_ gatewayOutputs: [GatewayOutput]) {
        for output in gatewayOutputs {
            switch output {
            case .enter, .open, .identify, .ask, .backpressured, .writable, .end: request(output)
            case .native(let session, _):
                natives.insert(session)
                // Frames of native clients do not wait behind requests of the gateway.
                if !isAnswering { sendRequests() }
                outputs.append(.gateway(output))
            case .wake(let milliseconds):
                dueMilliseconds = min(dueMilliseconds, now.elapsedMilliseconds + milliseconds)
            case .send(let session, _): send(.gateway(output), to: session)
            case .reportWritable(let session):
                slowClients.awaitRoom(of: session)
                outputs.append(.gateway(output))
            case .remove(let name): remove(name)
            case .reportUses: inform(.uses(databaseUses()))
            case .reportPeers: reportPeers()
            case .backUp(let session, let backup):
                outputs.append(.backUp(session, plan(of: backup)))
            case .continueBackup, .endBackup, .close, .log, .refused:
                outputs.append(.gateway(output))
            }
        }
    }

    private mutating func reportPeers() {
        let reports = replica.observePeers().map { peer in
            PeerReport(of: peer.member, peer.status, ageMilliseconds: peer.ageMilliseconds)
        }
        inform(.peers(reports))
    }

    /// Passes a request to the replica, or keeps it for the next turn while the replica answers.
    private mutating func request(_ output: GatewayOutput) {
        if !backlog.keep(output, whileAnswering: isAnswering) { send(output) }
    }

    private mutating func sendRequests() {
        for request in backlog.removeRequests() { send(request) }
    }

    /// Passes a request to the replica of its session's database.
    private mutating func send(_ request: GatewayOutput) {
        if case .enter(let session, let name) = request { return enter(name, session) }
        guard let input = Input(request), let session = input.session else { return }
        if case .closed = input { return stepReplica(input, of: leaveDatabase(session)) }
        stepReplica(input, of: database(of: session))
    }
}

// MARK: - Slow clients

extension NodeCore {
    /// Sends something to a client, or disconnects the client if too much waits for it.
    private mutating func send(_ output: NodeOutput, to session: SessionID) {
        if slowClients.admits(session) { outputs.append(output) } else { cut(session) }
    }

    private mutating func cut(_ session: SessionID) {
        slowClients.remove(session)
        outputs.append(.cut(session))
    }

    private mutating func record(_ bytes: Int, of session: SessionID) {
        if let change = slowClients.record(bytes, of: session) {
            slowChanges.append((session, change))
            if isInTurn { applySlowChanges() }
        }
        for session in slowClients.removeSlowest() { cut(session) }
    }

    private mutating func applySlowChanges() {
        if slowChanges.isEmpty { return }
        for (session, change) in slowChanges {
            switch (change, natives.contains(session)) {
            case (.backpressured, true):
                stepReplica(.backpressured(session), of: database(of: session))
            case (.writable, true): stepReplica(.writable(session), of: database(of: session))
            case (.backpressured, false): stepGateway(.backpressured(session))
            case (.writable, false): backlog.append(writable: session)
            }
        }
        slowChanges = []
    }
}

internal import CRuntime
public import ClusterConfiguration
internal import DataTree
internal import EventLoop
internal import GatewayCore
internal import Glibc
internal import NodeCore
internal import NodeStorage
internal import ReplicaCore
internal import Storage
internal import SyncProtocol
public import ZeroMQ

/// One node of a cluster: its core, with sockets and databases, on one loop.
///
///     let node = try Node("n1", of: configuration, exposure: .loopback)
///     try node.run()
///
/// A turn of the loop steps the core with all input from clients and peers, and ends with a transaction. The storage thread
/// commits it while the next turn runs. Operations are acknowledged, published and shown once they are durable.
///
/// A node belongs to the thread that creates and runs it.
public final class Node {
    private enum Phase: Equatable {
        case running
        /// Asked to stop: this turn is the last.
        case stopping
        /// The last turn is on its way to the disk.
        case draining
        case ended
    }

    private let configuration: NodeConfiguration
    private let member: NodeConfiguration.Member
    private let log: NodeLog
    private let loop: Loop
    private var databases: OpenDatabases
    private let releaser = Releaser()
    private let clients: HTTPPort
    private let peers: PeerPorts
    private let security: Security?
    private let processMetrics: ProcessMetrics
    private let recorder: Recorder?
    private var requestLogger: RequestLogger
    /// When the turns that are not durable yet were given to the storage thread.
    private var disk = DiskWatch()
    private var core: NodeCore
    private var watchers: [Watcher] = []
    private var phase = Phase.running
    private var isInTurn = false
    private var failure: NodeError?
    private var news: StateChangeLogger
    private var wait = WaitNews()
    /// The files of databases that the node keeps aside.
    private var kept: [KeptFiles] = []
    private var ticks = 0
    private var troubles = StorageTroubles()
    private var turnNanoseconds: UInt64 = 0
    /// The backup that is being written.
    private var backup: BackupRun?
    /// Receives the databases that were read.
    private lazy var openings: OpenDatabases.Openings = loop.mailbox { [unowned self] in
        finishOpening($0.database, $0.result)
    }
    /// The databases to open once their copy is complete.
    private var waitingOpenings: [(database: DatabaseIndex, name: DatabaseName)] = []
    /// Begins the next turn while the core has work left.
    private var nextTurn: Watcher?

    /// Opens the node's databases, reads them, and binds its endpoints for peers.
    ///
    /// - Parameters:
    ///   - keys: The node's own, where the configuration names its public key.
    ///   - records: A folder in which it records each turn, for the checks of a soak.
    ///   - consoleFolder: A folder with the files of the console, for work on them; nil for those of the program.
    /// - Throws: when the description or the keys are wrong, the database is in use, damaged or cannot be made,
    ///   or an endpoint is taken.
    /// - Complexity: reads the whole log.
    public init(
        _ id: String, of configuration: NodeConfiguration, keys: KeyPair? = nil,
        exposure: Exposure = .loopback, records: String? = nil, consoleFolder: String? = nil
    ) throws(NodeError) {
        try configuration.checkStart(of: id, keys: keys, exposure: exposure)
        self.configuration = configuration
        member = try configuration.member(id)
        try OpenFiles.check(for: id, of: configuration)
        log = NodeLog(member: id, settings: configuration.log)
        requestLogger = RequestLogger(for: log)
        let recovery = Recovery(configuration: configuration, member: id, log: log)
        let recovered = try recovery.recovered()
        databases = OpenDatabases(recovery, recovered)
        let replica = recovered.replica
        news = StateChangeLogger(for: log, about: replica)
        processMetrics = ProcessMetrics(member: member, databasePath: recovery.databasePath)
        let log = log
        recorder = try records.map { folder throws(NodeError) in
            try Recorder(replica, id, inFolder: folder, log)
        }
        do throws(EventLoopError) {
            loop = try Loop()
        } catch {
            throw NodeError(error)
        }
        clients = try HTTPPort(
            on: loop, configuration, of: member,
            console: Console(of: member, in: configuration, folder: consoleFolder), log: log)
        core = NodeCore(replica, clients.configuration)
        if recorder != nil { core.observeSteps() }
        do throws(ZeroMQError) {
            let context = Context()
            security = try keys.map { keys throws(ZeroMQError) in
                try Security(as: keys, of: configuration, in: context)
            }
            peers = try PeerPorts(
                of: member, among: configuration.nodes, in: context, security: security)
        } catch {
            throw NodeError(error)
        }
        core.sleepMilliseconds = configuration.sleepMilliseconds
        BackupRun.removeUnfinished(in: databases.backupFolder)
        core.makesCatalog = configuration.durability != .memory
        for name in recovery.removedNames() {
            core.addRemovedDatabase(name)
            // The process may have ended before it deleted them.
            recovery.deleteFiles(of: name)
        }
        for name in recovery.storedNames() {
            var recovery = recovery
            recovery.name = name
            let digests = recovery.digestFile?.read()
            core.addStoredDatabase(
                name, fileBytes: recovery.fileBytes(of: name), digest: digests?.operations,
                treeDigest: digests?.tree, record: try recovery.record(of: name))
        }
        reportKept()
    }

    /// Runs until SIGTERM or SIGINT, and then stops cleanly; a second one ends the process at once.
    ///
    /// - Throws: when clients' endpoint is taken, or the disk refuses a write.
    public func run() throws(NodeError) {
        do throws(EventLoopError) {
            try open()
        } catch {
            throw NodeError(error)
        }
        core.replica.process = processStatus()
        if !core.isServing { ServiceState.waiting.report() }
        loop.run()
        close()
        if let failure { throw failure }
    }
}

// MARK: - Turns

extension Node {
    private func step(_ input: NodeInput) {
        guard phase != .ended else { return }
        if input.needsTurn { beginTurn() }
        execute(stepCore(input))
    }

    private func step(_ change: (inout NodeCore) -> [NodeOutput]) { execute(change(&core)) }

    private func stepCore(_ input: NodeInput) -> [NodeOutput] {
        recorder?.step(&core, input) ?? core.step(input)
    }

    private func beginTurn() {
        guard !isInTurn, phase != .ended else { return }
        isInTurn = true
        recorder?.beginTurn(core.replica)
        turnNanoseconds = Loop.monotonicNanoseconds
        let now = Moment(
            wallMilliseconds: Loop.wallClockMilliseconds,
            elapsedMilliseconds: turnNanoseconds / 1_000_000)
        execute(stepCore(.turnBegan(now)))
    }

    /// Runs after each turn of the loop, most of which are one of the core too.
    private func endTurn() {
        // Half of a turn remains for clients that had nothing to read before.
        clients.read { [unowned self] in core.hasTime(percent: $0 == .new ? 100 : 50) }
        if isInTurn {
            isInTurn = false
            let outputs = stepCore(phase == .stopping ? .stopped : .turnEnded)
            if phase == .running { recorder?.endTurn(core.replica) }
            if phase == .stopping { phase = .draining }
            execute(outputs)
            let nanoseconds = Loop.monotonicNanoseconds - turnNanoseconds
            _ = core.step(.gateway(.turnTook(nanoseconds: nanoseconds)))
            logRequests(ofTurnThatTook: nanoseconds / 1_000_000)
        }
        clients.isPaused = databases.isFull
        peers.isPaused = databases.isFull
        clients.endTurn()
        peers.endTurn()
        scheduleNextTurn()
        // A database that takes no writes stores the last turn never: its clients were told so.
        if phase == .draining, databases.isEmpty || troubles.error != nil { end() }
    }

    /// Begins the next turn as soon as others have been served, if the core has work left. While turns wait for the disk, a
    /// timer begins turns for the replica.
    private func scheduleNextTurn() {
        let isDue = core.hasBacklog || !databases.isFull && core.findsDueWork()
        guard isDue, nextTurn == nil, phase == .running || phase == .draining else { return }
        nextTurn = try? loop.timer(after: .zero) { [unowned self] in
            nextTurn = nil
            beginTurn()
        }
    }

    private func execute(_ outputs: [NodeOutput]) {
        recorder?.record(outputs, of: core.replica)
        for output in outputs {
            switch output {
            case .replica(let output, let database): execute(output, of: database)
            case .openDatabase(let database, let name): open(database, name)
            case .closeDatabase(let database): databases.close(database)
            case .removeDatabase(let name, let database):
                databases.remove(name, database)
                log.write("the database \(name) is removed")
            case .discardDatabase(_, let name):
                databases.recovery.deleteFiles(of: name)
                log.write(
                    "the database \(name) has moved to other nodes, and its files are deleted")
            case .backUp(let session, let plan): beginBackup(plan, for: session)
            case .gateway(.continueBackup(let session)):
                if backup?.session == session { backup?.sendNext() }
            case .gateway(.endBackup(let session)):
                if backup?.session == session { backup?.cancel() }
            case .keepDatabase(_, let name, let epoch): keep(name, epoch: epoch)
            case .recordPlacement(let name, let record): self.record(record, of: name)
            case .distrustDatabases(let names): databases.distrust(names)
            case .gateway(.log(let line)): log.write(line)
            case .gateway(.refused(let refusal)):
                requestLogger.write(refusal, at: Loop.wallClockMilliseconds)
            case .gateway(let output): clients.execute(output)
            case .cut(let session): clients.cut(session)
            }
        }
    }

    private func execute(_ output: Output, of database: DatabaseIndex) {
        switch output {
        case .store(let turn):
            if database.isDefault { disk.begin(turn.number, at: Loop.monotonicNanoseconds) }
            databases.store(turn, of: database)
        case .synchronize: databases.journal(of: database).synchronize()
        case .publish(let frame, let urgency): peers.publish(frame, urgency)
        case .ask(let member, let frame): peers.ask(member, frame)
        case .answer(let member, let frame): peers.answer(member, frame)
        case .reply(let session, let frame): clients.reply(frame, to: session)
        case .replyLarge(let session, let frame): clients.reply(frame, to: session)
        case .replyMessages: break  // The core has passed them to its gateway.
        case .pauseReading(let session): clients.pauseReading(from: session)
        case .resumeReading(let session): clients.resumeReading(from: session)
        case .perform(let request): databases.journal(of: database).execute(request)
        case .backUp(let name, let id, let session):
            databases.backUp(database, core.name(of: database), to: name, id, for: session)
        case .giveUp(let problem, let fix): fail(NodeError(problem: problem, fix: fix))
        case .free(let parts): releaser.free(parts)
        case .serve where !database.isDefault:
            log.write("serving the database \(core.name(of: database))")
        case .serve:
            log.write("serving clients at \(member.client)")
            ServiceState.serving.report()
        }
    }
}

// MARK: - Databases

extension Node {
    /// Begins to open a database that a client or a peer has named, or to create it.
    private func open(_ database: DatabaseIndex, _ name: DatabaseName) {
        guard backup?.sleeper != database else {
            waitingOpenings.append((database, name))
            return
        }
        let opening = OpenDatabases.Opening(
            name: name, waking: core.waking, nodes: core.nodes(of: database),
            wasClosed: core.digest(of: database) != nil)
        do throws(NodeError) {
            try databases.open(database, opening, completion: openings)
        } catch {
            fail(toOpen: database, name, because: error)
        }
    }

    /// Goes on with a database that was read.
    private func finishOpening(
        _ database: DatabaseIndex, _ result: Result<Recovered, NodeError>
    ) {
        if phase == .ended { return }
        let name = core.name(of: database)
        do throws(NodeError) {
            let recovered = try result.get()
            databases.finishOpening(database, name, recovered)
            receiveStored(of: database)
            core.open(database, recovered.replica)
            scheduleNextTurn()
        } catch {
            databases.failOpening(database, name)
            fail(toOpen: database, name, because: error)
        }
    }

    private func fail(
        toOpen database: DatabaseIndex, _ name: DatabaseName, because error: NodeError
    ) {
        log.write("cannot open the database \(name): \(error.problem)", .error)
        execute(core.failToOpen(database, because: error.problem))
    }

    private func beginBackup(_ plan: BackupPlan, for session: SessionID) {
        guard backup?.isBusy != true else {
            let problem = BackupFailure.problemOfSecondBackup(at: member.id)
            let event = BackupEvent.failed(problem: problem, fix: "wait until it is complete")
            return step(.gateway(.backedUp(session, event)))
        }
        backup = BackupRun(
            plan.limited { databases.hasFile($0) }, for: session, in: databases.backupFolder,
            on: loop
        ) { [unowned self] source, path, completion in
            databases.copy(source, to: path, completion: completion)
        } report: { [unowned self] event in
            step(.gateway(.backedUp(session, event)))
        }
        backup?.begin()
    }

    /// Goes on with a backup, and opens the databases that have waited for it.
    private func followBackup() {
        backup?.tick()
        guard !waitingOpenings.isEmpty, backup?.sleeper == nil else { return }
        let openings = waitingOpenings
        waitingOpenings = []
        for opening in openings { open(opening.database, opening.name) }
    }

    /// Keeps the files of a database aside.
    private func keep(_ name: DatabaseName, epoch: UInt32) {
        do throws(StorageError) {
            guard let path = try databases.keep(name, epoch: epoch) else { return }
            log.write(
                "the database \(name) is on other nodes, and may have operations here that these lack; its "
                    + "files are kept as \(path) (see `hearth database kept`)", .warning)
            reportKept()
        } catch {
            log.write("cannot move the files of \(name) aside: \(error.problem)", .error)
        }
    }

    private func record(_ record: PlacementRecord, of name: DatabaseName) {
        do throws(StorageError) {
            try databases.record(record, of: name)
        } catch {
            log.write("cannot record where the database \(name) is: \(error.problem)", .error)
        }
    }

    /// Reports which files the node keeps aside. A command may have deleted some.
    private func reportKept() {
        let found = databases.recovery.keptFiles()
        guard found != kept else { return }
        kept = found
        core.setKept(
            kept.compactMap { files in
                DatabaseName(files.name).map {
                    KeptDatabase(files.entry, of: $0, bytes: files.bytes)
                }
            })
    }

    /// Begins to receive what becomes of the turns of a database; of all open ones without an index.
    private func receiveStored(of database: DatabaseIndex? = nil) {
        databases.receive(of: database, on: loop) { [unowned self] event, database in
            receive(event, of: database)
        }
    }
}

// MARK: - Inputs

extension Node {
    private func open() throws(EventLoopError) {
        loop.atEndOfTurn = { [unowned self] in endTurn() }
        receiveStored()
        databases.journal(of: .default).watchTrouble()
        try security?.open(on: loop, log: log)
        try peers.open(on: loop, log: log) { [unowned self] input in step(.replica(input)) }
        openClients()
        // With a catalog, the node opens them once it knows their placement.
        if core.sleepMilliseconds == nil, !core.hasCatalog { step { $0.openAll() } }
        watchers = [
            try loop.timer(every: .milliseconds(50)) { [unowned self] in tick() },
            try loop.watch(.terminate) { [unowned self] in stop() },
            try loop.watch(.interrupt) { [unowned self] in stop() },
        ]
        if !hearth_ignores_hangup() {
            watchers.append(try loop.watch(.hangup) { [unowned self] in stop() })
        }
    }

    private func openClients() {
        do throws(NodeError) {
            try clients.open(at: member.clientListenAddress) { [unowned self] input in step(input) }
        } catch {
            fail(error)
        }
    }

    private func receive(_ event: Journal.Event, of database: DatabaseIndex) {
        // Turns stored before the disk failed are not reported: a power cut may lose them.
        if phase == .ended { return }
        switch event {
        case .stored(let turn):
            if database.isDefault {
                recorder?.noteStored(turn: turn)
                logSlowDisk(upTo: turn)
            }
            databases.recordStored(database)
            step(.replica(.stored(turn: turn), of: database))
        case .done(let input):
            news.report(of: input)
            step(.replica(input, of: database))
        case .trouble(let error): report { $0.refusal = error }
        // No acknowledged operation is lost: the outputs of the failed turn were never sent. A node that cannot
        // write serves nothing that its peers do not, so it ends, and its clients move to them.
        case .failed(let error): fail(NodeError(error))
        case .closed:
            let digests = core.digest(of: database).map {
                DigestFile.Digests(operations: $0, tree: core.treeDigest(of: database))
            }
            databases.finishClosing(database, core.name(of: database), holding: digests)
            step { $0.didClose(database) }
        }
    }

    /// Records why the database takes no writes, and reports what changes by that.
    private func report(_ change: (inout StorageTroubles) -> Void) {
        let before = troubles.error
        change(&troubles)
        guard troubles.error != before else { return }
        core.storageTrouble = troubles.reason
        guard let error = troubles.error else {
            log.write("accepts writes: the disk works again", .warning)
            return step(.replica(.storageWorks))
        }
        log.write("accepts no writes: \(error.problem)", .error)
        step(.replica(.storageFailed(problem: error.problem, fix: error.fix)))
    }

    /// Ensures a turn, in which the replica handles what is due.
    private func tick() {
        if phase == .running { beginTurn() }
        clients.reportSlowClients()
        followBackup()
        databases.submit()
        ticks += 1
        guard ticks.isMultiple(of: 20) else { return }
        if ticks.isMultiple(of: 200) { reportKept() }
        let missing = databases.missing()
        report { $0.missing = missing }
        clients.tick()
        peers.tick()
        core.replica.process = processStatus()
        news.report(of: core.replica)
        reportWait(isServing: core.isServing)
        news.report(of: core.treeDifferences())
        news.report(ofShortage: processMetrics.shortage)
        requestLogger.endSecond(at: Loop.wallClockMilliseconds)
    }

    /// Logs what a node waits for that does not serve clients yet.
    private func reportWait(isServing: Bool) {
        let (live, awaited) = (core.replica.livePeers, core.replica.awaitedMembers)
        let silent = configuration.nodes.map(\.id).filter { $0 != member.id && !live.contains($0) }
        let missing = awaited.isEmpty ? silent : awaited
        if let line = wait.line(isServing: isServing, missing: missing) {
            log.write(line, .warning)
        }
    }

    private func processStatus() -> NodeStatus.Process {
        var status = processMetrics.status(
            clients: clients, peers: peers, journal: databases.journal(of: .default),
            security: security)
        (status.databases, status.awakeDatabases) = (core.databaseCount, core.awakeDatabaseCount)
        let problems = core.databaseProblems()
        status.unreadyDatabases = problems.count
        for (name, problem) in problems.prefix(NodeStatus.databaseProblemsShown) {
            status.databaseProblems[name.text] = problem
        }
        for (name, nodes) in core.emptyPlacements().prefix(NodeStatus.databaseProblemsShown) {
            status.emptyDatabases[name.text] = nodes.joined(separator: ",")
        }
        for (name, bytes) in core.largestDatabases(NodeStatus.largestDatabasesShown) {
            status.largestDatabases[name.text] = bytes
        }
        for files in kept { status.keptDatabases[files.entry] = files.bytes }
        for (name, placements) in core.contestedDatabases {
            status.contestedDatabases[name.text] = placements
        }
        for difference in core.treeDifferences() where !difference.database.isDefault {
            let age = core.elapsedMilliseconds - difference.sinceMilliseconds
            status.differingDatabases[difference.database.text, default: [:]][difference.member] =
                Int(clamping: age)
        }
        return status
    }
}

// MARK: - The log of requests

extension Node {
    private var slowMilliseconds: UInt64 { UInt64(configuration.log.slowMilliseconds) }

    private func logRequests(ofTurnThatTook milliseconds: UInt64) {
        let (records, omitted) = core.removeRequestRecords()
        let now = Loop.wallClockMilliseconds
        for record in records {
            requestLogger.write(record, from: clients.host(of: record.session), at: now)
        }
        requestLogger.omit(omitted)
        if milliseconds >= slowMilliseconds,
            let record = core.replica.lastRequest(took: milliseconds)
        {
            requestLogger.write(record, from: clients.host(of: record.session), at: now)
        }
    }

    private func logSlowDisk(upTo turn: UInt64) {
        let waited = disk.end(turn, at: Loop.monotonicNanoseconds)
        guard waited / 1_000_000 >= slowMilliseconds else { return }
        requestLogger.write(disk: waited / 1_000_000, at: Loop.wallClockMilliseconds)
    }
}

// MARK: - Stopping

extension Node {
    /// Stops receiving, and ends once all received input is durable and answered.
    private func stop() {
        guard phase == .running else {
            log.write("stopped at once, by a second signal", .warning)
            quick_exit(EXIT_FAILURE)
        }
        log.write("stopping")
        ServiceState.stopping.report()
        phase = .stopping
        clients.stopReceiving()
        peers.stopReceiving()
        beginTurn()
    }

    private func fail(_ error: NodeError) {
        guard phase != .ended else { return }
        failure = failure ?? error
        end()
    }

    private func end() {
        phase = .ended
        loop.stop()
    }

    private func close() {
        for watcher in watchers { watcher.cancel() }
        nextTurn?.cancel()
        clients.stopReceiving()
        peers.stopReceiving()
        security?.close()
        peers.stopReceiving()
        if troubles.error != nil, !databases.isEmpty {
            log.write("ends without its last writes on the disk", .error)
        }
        databases.finish()
        releaser.close()
        loop.atEndOfTurn = {}
        clients.close()
        peers.close()
        if failure == nil { log.write("stopped") }
    }
}

public import ClusterConfiguration
internal import DataTree
internal import EventLoop
internal import GatewayCore
internal import Glibc
internal import NodeCore
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
    private let recovery: Recovery
    /// The journals of the databases by their indexes; nil for one that could not be opened.
    private var journals: [Journal?]
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
    private var ticks = 0
    /// The files of open databases by the indexes of these.
    private var files: [DatabaseIndex: DatabaseFiles]
    /// The databases with turns on their way to the disk.
    private var storing: Set<DatabaseIndex> = []
    /// The removed databases whose files are still open.
    private var removing: Set<DatabaseIndex> = []
    private var troubles = StorageTroubles()
    private var turnNanoseconds: UInt64 = 0
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
        recovery = Recovery(configuration: configuration, member: id, log: log)
        let (replica, journal) = try recovery.recovered()
        journals = [journal]
        news = StateChangeLogger(for: log, about: replica)
        files = [.default: DatabaseFiles(of: recovery.databasePath)]
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
        for name in recovery.removedNames() {
            core.addRemovedDatabase(name)
            // The process may have ended before it deleted them.
            recovery.deleteFiles(of: name)
        }
        let stored = recovery.storedNames().map { name in
            var recovery = recovery
            recovery.name = name
            let digest = recovery.digestFile?.read()
            let fileBytes = recovery.fileBytes(of: name)
            return (name, core.addStoredDatabase(name, fileBytes: fileBytes, digest: digest))
        }
        // With a catalog, the node opens them once it knows their placement.
        if core.sleepMilliseconds == nil, !core.hasCatalog {
            for (name, database) in stored { try recover(database, name) }
        }
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
        core.replica.process = processStatus
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
        clients.isPaused = isStorageFull
        peers.isPaused = isStorageFull
        clients.endTurn()
        peers.endTurn()
        scheduleNextTurn()
        // A database that takes no writes stores the last turn never: its clients were told so.
        if phase == .draining, isStorageEmpty || troubles.error != nil { end() }
    }

    /// Begins the next turn as soon as others have been served, if the core has work left. While turns wait for the disk, a
    /// timer begins turns for the replica.
    private func scheduleNextTurn() {
        let isDue = core.hasBacklog || !isStorageFull && core.hasDueWork
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
            case .closeDatabase(let database):
                // SQLite deletes its write-ahead log as it closes.
                files[database] = nil
                journal(of: database).closeStore()
            case .removeDatabase(let name, let database): remove(name, database)
            case .discardDatabase(_, let name):
                recovery.deleteFiles(of: name)
                log.write(
                    "the database \(name) has moved to other nodes, and its files are deleted")
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
            storing.insert(database)
            if database.isDefault { disk.begin(turn.number, at: Loop.monotonicNanoseconds) }
            journal(of: database).store(turn)
        case .synchronize: journal(of: database).synchronize()
        case .publish(let frame, let urgency): peers.publish(frame, urgency)
        case .ask(let member, let frame): peers.ask(member, frame)
        case .answer(let member, let frame): peers.answer(member, frame)
        case .reply(let session, let frame): clients.reply(frame, to: session)
        case .replyLarge(let session, let frame): clients.reply(frame, to: session)
        case .replyMessages: break  // The core has passed them to its gateway.
        case .pauseReading(let session): clients.pauseReading(from: session)
        case .resumeReading(let session): clients.resumeReading(from: session)
        case .perform(let request): journal(of: database).execute(request)
        case .backUp(let name, let id, let session):
            let folder = recovery(of: database).folder + "/backups"
            journal(of: database).backUp(to: name, in: folder, id, for: session)
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
    /// The journal of a database that is open.
    private func journal(of database: DatabaseIndex) -> Journal {
        guard let journal = journals[database.number] else {
            preconditionFailure("database \(database.number) is not open")
        }
        return journal
    }

    private var isStorageFull: Bool { storing.contains { journals[$0.number]?.isFull == true } }

    private var isStorageEmpty: Bool {
        storing.allSatisfy { journals[$0.number]?.isEmpty != false }
    }

    private func recovery(of database: DatabaseIndex) -> Recovery {
        var recovery = recovery
        if !database.isDefault { recovery.name = core.name(of: database) }
        return recovery
    }

    /// Opens a database, or creates it, and reads it.
    private func recover(_ database: DatabaseIndex, _ name: DatabaseName) throws(NodeError) {
        while journals.count <= database.number { journals.append(nil) }
        var recovery = recovery
        (recovery.name, recovery.waking) = (name, core.waking)
        recovery.nodes = core.nodes(of: database)
        recovery.hasDurableFolder = core.digest(of: database) != nil
        let (replica, journal) = try recovery.recovered(on: self.journal(of: .default).thread)
        journals[database.number] = journal
        files[database] = DatabaseFiles(of: recovery.databasePath)
        core.open(database, replica)
    }

    /// Opens a database that a client or a peer has named.
    private func open(_ database: DatabaseIndex, _ name: DatabaseName) {
        // Among the frames is the one that wakes the database at the other nodes.
        peers.sendPublications()
        do throws(NodeError) {
            try recover(database, name)
            openJournal(database.number)
        } catch {
            log.write("cannot open the database \(name): \(error.problem)", .error)
            execute(core.failToOpen(database, because: error.problem))
        }
    }

    /// Records that a database was removed, and deletes its files once they are closed.
    private func remove(_ name: DatabaseName, _ database: DatabaseIndex?) {
        var recovery = recovery
        recovery.name = name
        recovery.recordRemoval()
        if let database, journals.indices.contains(database.number),
            journals[database.number] != nil
        {
            files[database] = nil
            removing.insert(database)
        } else {
            recovery.deleteFiles(of: name)
        }
        log.write("the database \(name) is removed")
    }

    /// Completes the sleep of a database: its files are closed.
    private func finishClosing(_ database: DatabaseIndex) {
        journals[database.number] = nil
        storing.remove(database)
        if removing.remove(database) != nil {
            recovery.deleteFiles(of: core.name(of: database))
        } else if let digest = core.digest(of: database) {
            recovery(of: database).digestFile?.write(digest)
        }
        step { $0.didClose(database) }
    }

    private func openJournal(_ number: Int) {
        journals[number]?.open(on: loop) { [unowned self] event in
            receive(event, of: DatabaseIndex(number))
        }
    }
}

// MARK: - Inputs

extension Node {
    private func open() throws(EventLoopError) {
        loop.atEndOfTurn = { [unowned self] in endTurn() }
        for number in journals.indices { openJournal(number) }
        journals[0]?.watchTrouble()
        try security?.open(on: loop)
        try peers.open(on: loop, log: log) { [unowned self] input in step(.replica(input)) }
        openClients()
        watchers = [
            try loop.timer(every: .milliseconds(50)) { [unowned self] in tick() },
            try loop.watch(.terminate) { [unowned self] in stop() },
            try loop.watch(.interrupt) { [unowned self] in stop() },
            try loop.watch(.hangup) { [unowned self] in stop() },
        ]
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
            if journals[database.number]?.isEmpty == true { storing.remove(database) }
            step(.replica(.stored(turn: turn), of: database))
        case .done(let input):
            news.report(of: input)
            step(.replica(input, of: database))
        case .trouble(let error): report { $0.refusal = error }
        // No acknowledged operation is lost: the outputs of the failed turn were never sent. A node that cannot
        // write serves nothing that its peers do not, so it ends, and its clients move to them.
        case .failed(let error): fail(NodeError(error))
        case .closed: finishClosing(database)
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
        for journal in journals { journal?.submit() }
        ticks += 1
        guard ticks.isMultiple(of: 20) else { return }
        report { troubles in
            troubles.missing = nil
            for database in files.keys.sorted() {
                troubles.missing = troubles.missing ?? files[database]?.problem()
            }
        }
        clients.tick()
        peers.tick()
        core.replica.process = processStatus
        news.report(of: core.replica)
        news.report(ofShortage: processMetrics.shortage)
        requestLogger.endSecond(at: Loop.wallClockMilliseconds)
    }

    private var processStatus: NodeStatus.Process {
        var status = processMetrics.status(
            clients: clients, peers: peers, journal: journal(of: .default),
            refusals: security?.refusals)
        (status.databases, status.awakeDatabases) = (core.databaseCount, core.awakeDatabaseCount)
        for (name, bytes) in core.largestDatabases(NodeStatus.largestDatabasesShown) {
            status.largestDatabases[name.text] = bytes
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
        if troubles.error != nil, !isStorageEmpty {
            log.write("ends without its last writes on the disk", .error)
        }
        for journal in journals.dropFirst() { journal?.finish() }
        journal(of: .default).close()
        releaser.close()
        loop.atEndOfTurn = {}
        clients.close()
        peers.close()
        if failure == nil { log.write("stopped") }
    }
}

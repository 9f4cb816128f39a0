internal import EventLoop
internal import ReplicaCore
internal import Storage
internal import SyncProtocol

/// Keeps a node's turns on disk, on a thread of its own, and tells the loop what became of them.
final class Journal {
    /// What becomes of turns and other jobs.
    enum Event: Sendable {
        /// All turns up to this one are as durable as the node promises to be.
        case stored(turn: UInt64)
        /// A job is done that the replica waits for.
        case done(Input)
        case failed(StorageError)
        /// The disk is full; nil when it works again.
        case trouble(StorageError?)
    }

    /// What the storage thread says.
    enum Report: Sendable {
        /// A transaction is committed, of all turns up to this one, so many of which wrote batches.
        case committed(turn: UInt64, writing: Int, byteCount: Int)
        case synchronized(turn: UInt64)
        case done(Input)
        /// A read for a peer is done.
        case read(Input)
        case wroteRows(CheckpointWriter)
        case checkpointed(CheckpointWriter)
        case installed(RestoredCheckpoint, log: [[UInt8]])
        /// So much was taken from the log, and what is still to be.
        case truncated(byteCount: Int, rest: VersionVector)
        case trouble(StorageError?)
        case failed(StorageError)
    }

    /// Beyond this much on its way to the disk, a node takes nothing more in.
    static let turnsLimit = 4_000
    private static let bytesLimit = 32 << 20
    /// Reads on their way; peers repeat what is left out.
    private static let readsLimit = 64
    /// Where no turn waits for the disk, turns gather until they are worth a transaction.
    private static let gatheredBytesLimit = 1 << 20

    private let thread: StorageThread
    private let durability: Durability
    private var gathered: (turns: [ReplicaCore.Turn], byteCount: Int) = ([], 0)
    /// Turns that write batches; others come every few seconds, also while the disk is full for hours.
    private var uncommittedTurns = 0
    private var uncommittedBytes = 0
    private var pendingReads = 0
    private var lastTurn: UInt64 = 0
    private var lastStored: UInt64 = 0
    private var lastSynchronizing: UInt64 = 0
    private var mailbox: Mailbox<Report>?
    /// The size of the log.
    private(set) var logBytes: Int
    /// As the last complete checkpoint left it.
    var checkpointWriter: CheckpointWriter

    init(
        _ thread: StorageThread, durability: Durability, checkpoints: CheckpointWriter,
        logBytes: Int
    ) {
        self.logBytes = logBytes
        self.thread = thread
        self.durability = durability
        checkpointWriter = checkpoints
    }

    /// Begins to hand over what becomes of turns and reads; `store` and `read` need it.
    func open(on loop: Loop, receive: @escaping (Event) -> Void) {
        mailbox = loop.mailbox { [unowned self] report in
            if let event = event(for: report) { receive(event) }
        }
        guard let mailbox else { return }
        thread.watchTrouble { mailbox.post(.trouble($0)) }
    }

    /// Turns and reads that were submitted and are not done.
    var backlog: Int { thread.backlog }

    var isFull: Bool { uncommittedTurns >= Self.turnsLimit || uncommittedBytes >= Self.bytesLimit }

    /// Whether all turns are stored.
    var isEmpty: Bool { lastStored == lastTurn }

    func store(_ turn: ReplicaCore.Turn) {
        let byteCount = turn.batches.reduce(0) { $0 + $1.bytes.count }
        if !turn.batches.isEmpty { uncommittedTurns += 1 }
        uncommittedBytes += byteCount
        logBytes += byteCount
        lastTurn = turn.number
        gathered.turns.append(turn)
        gathered.byteCount += byteCount
        // An incarnation begins with a turn that waits for the disk in every mode.
        if lastStored == 0 { return synchronize() }
        if durability == .commit || gathered.byteCount >= Self.gatheredBytesLimit { submit() }
    }

    /// Hands the gathered turns to the storage thread, as one transaction; several times a second
    /// where no turn waits for it.
    func submit() {
        guard let mailbox else { preconditionFailure("a journal is opened before it is used") }
        guard let last = gathered.turns.last else { return }
        let report = Report.committed(
            turn: last.number, writing: gathered.turns.count { !$0.batches.isEmpty },
            byteCount: gathered.byteCount)
        thread.submit(Storage.Turn(gathered.turns)) { result in
            switch result {
            case .success: mailbox.post(report)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
        gathered = ([], 0)
    }

    func read(_ read: LogRead) {
        guard beginRead() else { return }
        submit()
        perform { file throws(StorageError) in
            let batches = try file.batches(
                of: read.origin.bits, from: read.from, byteLimit: read.byteLimit)
            let wanted = batches.prefix { $0.first <= read.through }.map(LogEntry.init)
            let whole = wanted.prefix(while: \.isWhole).map(\.bytes)
            return .read(.found(whole, for: read))
        }
    }

    /// Whether there is room for one more read.
    func beginRead() -> Bool {
        guard pendingReads < Self.readsLimit else { return false }
        pendingReads += 1
        return true
    }

    /// Runs a job on the storage thread, after all turns submitted so far, and reports what it says.
    func perform(
        _ job: @escaping @Sendable (LogFile) throws(StorageError) -> Report
    ) {
        guard let mailbox else { preconditionFailure("a journal is opened before it is used") }
        thread.perform(job) { result in
            switch result {
            case .success(let report): mailbox.post(report)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
    }

    /// Syncs what commits did not wait for; once a second where the durability closed timestamps that.
    func synchronize() {
        submit()
        guard durability == .interval, lastSynchronizing < lastTurn, mailbox != nil else { return }
        lastSynchronizing = lastTurn
        let turn = lastTurn
        perform { file throws(StorageError) in
            try file.synchronize()
            return .synchronized(turn: turn)
        }
    }

    /// Waits for all that was submitted, then closes the database.
    func close() {
        synchronize()
        thread.close()
    }

    private func event(for report: Report) -> Event? {
        switch report {
        case .committed(let turn, let writing, let byteCount):
            uncommittedTurns -= writing
            uncommittedBytes -= byteCount
            // In the mode `interval` a commit is not on the disk yet.
            if durability == .interval { return nil }
            lastStored = turn
            return .stored(turn: turn)
        case .synchronized(let turn):
            lastStored = turn
            return .stored(turn: turn)
        case .done(let input): return .done(input)
        case .read(let input):
            pendingReads -= 1
            return .done(input)
        case .wroteRows(let writer):
            writeRows(writer)
            return nil
        case .checkpointed(let writer):
            checkpointWriter = writer
            return .done(.checkpointed)
        case .installed(let checkpoint, let log):
            checkpointWriter = CheckpointWriter(after: checkpoint)
            logBytes = log.reduce(0) { $0 + $1.count }
            return .done(.installed((checkpoint, log: log)))
        case .truncated(let byteCount, let rest):
            logBytes -= byteCount
            if !rest.entries.isEmpty { truncate(rest) }
            return nil
        case .trouble(let error): return .trouble(error)
        case .failed(let error): return .failed(error)
        }
    }
}

extension Storage.Turn {
    fileprivate init(_ turns: [ReplicaCore.Turn]) {
        self.init(
            batches: turns.flatMap(\.batches).map { entry in
                StoredBatch(
                    origin: entry.origin.bits, first: entry.first, last: entry.last,
                    bytes: entry.bytes)
            },
            properties: turns.flatMap(\.properties).map { property in
                StoredProperty(property.name.rawValue, property.bytes)
            },
            clearsOrphans: turns.contains(where: \.clearsOrphans))
    }
}

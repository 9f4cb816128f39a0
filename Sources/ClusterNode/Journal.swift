internal import EventLoop
internal import Glibc
internal import NodeStorage
internal import ReplicaCore
internal import Storage
internal import Store

/// Passes a node's turns and requests to its store, on a thread of its own, and their results to the loop.
final class Journal {
    /// The result of turns or of a request.
    enum Event: Sendable {
        /// All turns up to this one are as durable as the durability mode requires.
        case stored(turn: UInt64)
        /// A request is done, and the replica waits for its result.
        case done(Input)
        case failed(StorageError)
        /// The disk is full; nil when writing works again.
        case trouble(StorageError?)
    }

    /// A report of the storage thread.
    private enum Report: Sendable {
        /// A transaction has committed all turns up to this one, of which this many wrote batches.
        case committed(turn: UInt64, writing: Int, byteCount: Int)
        case synchronized(turn: UInt64)
        /// A request has progressed; the log then has this size.
        case performed(StoreProgress, isRead: Bool, logByteCount: Int)
        case done(Input)
        case trouble(StorageError?)
        case failed(StorageError)
    }

    /// With more turns on their way to the disk, a node accepts no more input.
    static let turnsLimit = 4_000
    private static let bytesLimit = 32 << 20
    /// Concurrent reads; peers repeat requests beyond these.
    private static let readsLimit = 64
    /// Without a turn that waits for the disk, turns gather up to this size before they are committed.
    private static let gatheredBytesLimit = 1 << 20

    private let thread: StorageThread
    private let durability: Durability
    private var gathered: (turns: [Turn], byteCount: Int) = ([], 0)
    /// Uncommitted turns with batches; others are rare, and may accumulate for hours while the disk is full.
    private var uncommittedTurns = 0
    private var uncommittedBytes = 0
    private var pendingReads = 0
    private var lastTurn: UInt64 = 0
    private var lastStored: UInt64 = 0
    private var lastSynchronizing: UInt64 = 0
    private var mailbox: Mailbox<Report>?
    /// The size of the log, including what is on its way there.
    private(set) var logBytes: Int

    init(_ thread: StorageThread, durability: Durability, logBytes: Int) {
        self.thread = thread
        self.durability = durability
        self.logBytes = logBytes
    }

    /// Begins to deliver results; `store` and `perform` need it.
    func open(on loop: Loop, receive: @escaping (Event) -> Void) {
        mailbox = loop.mailbox { [unowned self] report in
            if let event = event(for: report) { receive(event) }
        }
        guard let mailbox else { return }
        thread.watchTrouble { mailbox.post(.trouble($0)) }
    }

    /// Turns and requests submitted and not done.
    var backlog: Int { thread.backlog }

    var isFull: Bool { uncommittedTurns >= Self.turnsLimit || uncommittedBytes >= Self.bytesLimit }

    /// Whether all turns are stored.
    var isEmpty: Bool { lastStored == lastTurn }

    func store(_ turn: Turn) {
        let byteCount = turn.byteCount
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

    /// Submits the gathered turns as one transaction; called several times a second where no turn waits for
    /// the disk.
    func submit() {
        guard let last = gathered.turns.last else { return }
        let report = Report.committed(
            turn: last.number, writing: gathered.turns.count { !$0.batches.isEmpty },
            byteCount: gathered.byteCount)
        let mailbox = opened
        thread.commit(gathered.turns) { result in
            switch result {
            case .success: mailbox.post(report)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
        gathered = ([], 0)
    }

    /// Submits a request after all turns so far; ignores a read if too many are under way.
    func perform(_ request: StoreRequest) {
        if request.isRead {
            guard pendingReads < Self.readsLimit else { return }
            pendingReads += 1
        }
        submit()
        perform { store throws(StorageError) in
            let progress = try store.perform(request)
            return .performed(
                progress, isRead: request.isRead, logByteCount: store.logByteCount)
        }
    }

    /// Syncs commits that did not wait for the disk; called once a second for the durability mode
    /// `interval`.
    func synchronize() {
        submit()
        guard durability == .interval, lastSynchronizing < lastTurn, mailbox != nil else { return }
        lastSynchronizing = lastTurn
        let turn = lastTurn
        perform { store throws(StorageError) in
            try store.synchronize()
            return .synchronized(turn: turn)
        }
    }

    /// Writes a copy of the database to a new file in a folder.
    func backUp(to name: String, in folder: String, _ id: UInt64, for session: SessionID) {
        submit()
        perform { store in
            let path = "\(folder)/\(name).sqlite"
            mkdir(folder, 0o755)
            guard access(path, F_OK) != 0 else {
                let failure = BackupFailure(
                    problem: "\(path) exists already", fix: "choose another name")
                return .done(.backedUp(.failure(failure), id: id, for: session))
            }
            let result = Result { () throws(StorageError) in
                try store.tables.backUp(to: path)
                return path
            }.mapError { BackupFailure(problem: $0.problem, fix: $0.fix) }
            return .done(.backedUp(result, id: id, for: session))
        }
    }

    /// Waits for everything submitted, then closes the database.
    func close() {
        synchronize()
        thread.close()
    }

    /// Runs a job on the storage thread, after everything submitted so far, and reports its result.
    private func perform(
        _ job: @escaping @Sendable (inout NodeStore) throws(StorageError) -> Report
    ) {
        let mailbox = opened
        thread.perform(job) { result in
            switch result {
            case .success(let report): mailbox.post(report)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
    }

    private var opened: Mailbox<Report> {
        guard let mailbox else { preconditionFailure("a journal is opened before it is used") }
        return mailbox
    }

    private func event(for report: Report) -> Event? {
        switch report {
        case .committed(let turn, let writing, let byteCount):
            uncommittedTurns -= writing
            uncommittedBytes -= byteCount
            // In the mode `interval`, a commit is not on the disk yet.
            if durability == .interval { return nil }
            lastStored = turn
            return .stored(turn: turn)
        case .synchronized(let turn):
            lastStored = turn
            return .stored(turn: turn)
        case .performed(let progress, let isRead, let logByteCount):
            if isRead { pendingReads -= 1 }
            logBytes = logByteCount + uncommittedBytes
            switch progress {
            case .done: return nil
            case .replied(let reply): return .done(.storeReplied(reply))
            case .unfinished(let rest):
                perform(rest)
                return nil
            }
        case .done(let input): return .done(input)
        case .trouble(let error): return .trouble(error)
        case .failed(let error): return .failed(error)
        }
    }
}

extension StoreRequest {
    /// Whether the request only reads.
    fileprivate var isRead: Bool {
        switch self {
        case .readBatches, .readRows: true
        default: false
        }
    }
}

internal import EventLoop
internal import Glibc
internal import NodeStorage
internal import ReplicaCore
internal import Storage
internal import Store
internal import SyncProtocol

/// Hands the turns and requests of a database to its store, on the storage thread of the node, and reports their outcomes to
/// the loop.
final class Journal {
    /// The outcome of turns and requests.
    enum Event: Sendable {
        /// All turns up to this one are as durable as the durability mode demands.
        case stored(turn: UInt64)
        /// A request is done that the replica waits for.
        case done(Input)
        case failed(StorageError)
        /// The disk is full; nil when it works again.
        case trouble(StorageError?)
        /// The store is closed; nothing follows.
        case closed
    }

    /// A report of the storage thread.
    private enum Report: Sendable {
        /// A transaction of all turns up to this one is committed, `writing` of which wrote batches.
        case committed(turn: UInt64, writing: Int, byteCount: Int)
        case synchronized(turn: UInt64)
        /// The progress of a request, and the size of the log in bytes.
        case performed(StoreProgress, isRead: Bool, logByteCount: Int)
        case done(Input)
        case trouble(StorageError?)
        case failed(StorageError)
        case closed
    }

    /// Beyond this much on its way to the disk, a node pauses its inputs.
    static let turnsLimit = 4_000
    private static let bytesLimit = 32 << 20
    /// The most reads under way; peers repeat requests that are dropped.
    private static let readsLimit = 64
    /// If no turn waits for the disk, turns gather until they are worth a transaction.
    private static let gatheredBytesLimit = 1 << 20

    let thread: StorageThread
    private let store: StoreNumber
    private let durability: Durability
    private var gathered: (turns: [Turn], byteCount: Int) = ([], 0)
    /// Turns that write batches; others come every few seconds, also while the disk is full for hours.
    private var uncommittedTurns = 0
    private var uncommittedBytes = 0
    private var pendingReads = 0
    private var lastTurn: UInt64 = 0
    private var lastStored: UInt64 = 0
    private var mailbox: Mailbox<Report>?
    private(set) var isClosing = false
    /// The size of the log, with what is on its way there.
    private(set) var logBytes: Int

    init(_ recovered: borrowing Recovered, durability: Durability) {
        thread = recovered.thread
        store = recovered.store
        logBytes = recovered.logBytes
        self.durability = durability
    }

    /// Begins to hand over the outcomes of turns and requests; required before `store` and `perform`.
    func open(on loop: Loop, receive: @escaping (Event) -> Void) {
        mailbox = loop.mailbox { [unowned self] report in
            if let event = event(for: report) { receive(event) }
        }
    }

    /// Reports troubles of the disk, which concern all databases of the thread.
    func watchTrouble() {
        let mailbox = opened
        thread.watchTrouble { mailbox.post(.trouble($0)) }
    }

    /// Turns and requests that were submitted and are not done.
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
        if durability == .commit || gathered.byteCount >= Self.gatheredBytesLimit { submit() }
    }

    /// Hands the gathered turns to the storage thread, as one transaction; several times a second
    /// where no turn waits for it.
    func submit() {
        guard let last = gathered.turns.last else { return }
        let report = Report.committed(
            turn: last.number, writing: gathered.turns.count { !$0.batches.isEmpty },
            byteCount: gathered.byteCount)
        let mailbox = opened
        thread.commit(gathered.turns, to: store) { result in
            switch result {
            case .success: mailbox.post(report)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
        gathered = ([], 0)
    }

    /// Has the store perform a request, after all turns so far; drops it if too many reads are under way.
    func execute(_ request: StoreRequest) {
        if request.isRead {
            guard pendingReads < Self.readsLimit else { return }
            pendingReads += 1
        }
        submit()
        execute { store throws(StorageError) in
            let progress = try store.execute(request)
            return .performed(
                progress, isRead: request.isRead, logByteCount: store.logByteCount)
        }
    }

    /// Commits the gathered turns and, in the mode `interval`, syncs all commits.
    func synchronize() {
        submit()
        guard durability == .interval else { return }
        let turn = lastTurn
        execute { store throws(StorageError) in
            try store.synchronize()
            return .synchronized(turn: turn)
        }
    }

    /// Writes a copy of the database to a new file in a folder.
    func backUp(to name: String, in folder: String, _ id: UInt64, for session: SessionID) {
        submit()
        execute { store in
            let path = "\(folder)/\(name).sqlite"
            mkdir(folder, 0o700)
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

    /// Writes a copy of the database to a new file, after all turns so far.
    func copy(to path: String, completion: @escaping StorageThread.Completion<Void>) {
        submit()
        let copy = { @Sendable (store: inout NodeStore) throws(StorageError) in
            try store.tables.backUp(to: path)
        }
        thread.run(on: store, copy, completion: completion)
    }

    /// Closes the store of a database that goes to sleep. Requests that are not done end unfinished, as at the end of a
    /// process.
    func closeStore() {
        isClosing = true
        let mailbox = opened
        thread.remove(store) { mailbox.post(.closed) }
    }

    /// Has all turns made durable before the storage thread closes.
    func finish() { if !isEmpty { synchronize() } }

    /// Waits for all that was submitted, also for other databases, then closes the databases of the thread.
    func close() {
        finish()
        thread.close()
    }

    /// Runs a job on the storage thread, after all submitted so far, and posts its report.
    private func execute(
        _ job: @escaping @Sendable (inout NodeStore) throws(StorageError) -> Report
    ) {
        let mailbox = opened
        thread.run(on: store, job) { result in
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
            // In the mode `interval` a commit is not on the disk yet.
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
                if !isClosing { execute(rest) }
                return nil
            }
        case .done(let input): return .done(input)
        case .trouble(let error): return .trouble(error)
        case .failed(let error): return .failed(error)
        case .closed: return .closed
        }
    }
}

extension StoreRequest {
    /// Whether it only reads.
    fileprivate var isRead: Bool {
        switch self {
        case .readBatches, .readRows: true
        default: false
        }
    }
}

internal import EventLoop
internal import ReplicaCore
internal import Storage
internal import SyncProtocol

/// Keeps a node's turns on disk, on a thread of its own, and tells the loop what became of them.
final class Journal {
    /// What the storage thread says.
    enum Event: Sendable {
        /// So many turns up to this one are stored.
        case stored(turn: UInt64, turns: Int, byteCount: Int)
        case found([[UInt8]], for: LogRead)
        case failed(StorageError)
    }

    /// Beyond this much on its way to the disk, a node takes nothing more in.
    private static let turnsLimit = 1_000
    private static let bytesLimit = 32 << 20
    /// Reads on their way; peers repeat what is left out.
    private static let readsLimit = 64

    /// Where no turn waits for the disk, turns gather until they are worth a transaction.
    private static let gatheredBytesLimit = 1 << 20

    private let thread: StorageThread
    private let durability: Durability
    private var gathered: (turns: [ReplicaCore.Turn], byteCount: Int) = ([], 0)
    private var unstoredTurns = 0
    private var unstoredBytes = 0
    private var pendingReads = 0
    private var isUnsynchronized = false
    private var mailbox: Mailbox<Event>?

    init(_ thread: StorageThread, durability: Durability) {
        self.thread = thread
        self.durability = durability
    }

    /// Begins to hand over what the storage thread says; `store` and `read` need it.
    func open(on loop: Loop, receive: @escaping (Event) -> Void) {
        mailbox = loop.mailbox { [unowned self] event in
            note(event)
            receive(event)
        }
    }

    /// Turns and reads that were submitted and are not done.
    var backlog: Int { thread.backlog }

    var isFull: Bool { unstoredTurns >= Self.turnsLimit || unstoredBytes >= Self.bytesLimit }

    var isEmpty: Bool { unstoredTurns == 0 }

    func store(_ turn: ReplicaCore.Turn) {
        let byteCount = turn.batches.reduce(0) { $0 + $1.bytes.count }
        unstoredTurns += 1
        unstoredBytes += byteCount
        gathered.turns.append(turn)
        gathered.byteCount += byteCount
        if durability == .commit || gathered.byteCount >= Self.gatheredBytesLimit { submit() }
    }

    /// Hands the gathered turns to the storage thread, as one transaction; several times a second
    /// where no turn waits for it.
    func submit() {
        guard let mailbox else { preconditionFailure("a journal is opened before it is used") }
        guard let last = gathered.turns.last else { return }
        let event = Event.stored(
            turn: last.number, turns: gathered.turns.count, byteCount: gathered.byteCount)
        isUnsynchronized = true
        thread.submit(Storage.Turn(gathered.turns)) { result in
            switch result {
            case .success: mailbox.post(event)
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
        gathered = ([], 0)
    }

    func read(_ read: LogRead) {
        guard let mailbox else { preconditionFailure("a journal is opened before it is used") }
        guard pendingReads < Self.readsLimit else { return }
        pendingReads += 1
        submit()
        thread.perform { file throws(StorageError) in
            try file.batches(
                of: read.origin.bits, from: read.from, byteLimit: read.byteLimit)
        } completion: { result in
            switch result {
            case .success(let batches):
                let wanted = batches.prefix { $0.first <= read.through }
                mailbox.post(.found(wanted.map(\.bytes), for: read))
            case .failure(let error): mailbox.post(.failed(error))
            }
        }
    }

    /// Syncs what commits did not wait for; once a second where the durability promises that.
    func synchronize() {
        submit()
        guard durability == .interval, isUnsynchronized, let mailbox else { return }
        isUnsynchronized = false
        thread.perform { file throws(StorageError) in
            try file.synchronize()
        } completion: { result in
            if case .failure(let error) = result { mailbox.post(.failed(error)) }
        }
    }

    /// Waits for all that was submitted, then closes the database.
    func close() {
        synchronize()
        thread.close()
    }

    private func note(_ event: Event) {
        switch event {
        case .stored(_, let turns, let byteCount):
            unstoredTurns -= turns
            unstoredBytes -= byteCount
        case .found: pendingReads -= 1
        case .failed: break
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
                StoredProperty(property.name.rawValue, property.value.littleEndianBytes)
            })
    }
}

extension UInt64 {
    fileprivate var littleEndianBytes: [UInt8] {
        withUnsafeBytes(of: littleEndian) { Array($0) }
    }
}

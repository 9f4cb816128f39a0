internal import ClientCore
internal import Storage

/// Keeps a client's values and unanswered writes in a SQLite file, for the next process.
///
/// When the values have more bytes than allowed, the oldest ones are removed.
final class LocalStore {
    private let file: Storage.Connection
    private let byteLimit: Int64
    private var byteCount: Int64
    private var lastUse: Int64
    private let addWrite: Statement
    private let removeWrite: Statement
    private let addValue: Statement
    private let findValue: Statement
    private let useValue: Statement
    private let oldestValue: Statement
    private let removeValue: Statement

    /// Opens the file, which belongs to one process at a time, or makes it.
    init(path: String, byteLimit: Int) throws(StorageError) {
        self.byteLimit = Int64(byteLimit)
        file = try Storage.Connection(path: path, synchronization: .normal, locking: .exclusive)
        try file.execute(
            """
            CREATE TABLE IF NOT EXISTS writes(number INTEGER PRIMARY KEY, frame BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS cache(
                key TEXT PRIMARY KEY, used INTEGER NOT NULL, frame BLOB NOT NULL);
            CREATE INDEX IF NOT EXISTS cache_used ON cache(used);
            """)
        let totals = try file.prepare(
            "SELECT TOTAL(LENGTH(frame)), IFNULL(MAX(used), 0) FROM cache"
        ).firstRow { (bytes: $0.integer(at: 0), use: $0.integer(at: 1)) }
        byteCount = totals?.bytes ?? 0
        lastUse = totals?.use ?? 0
        addWrite = try file.prepare("INSERT OR REPLACE INTO writes VALUES(?, ?)")
        removeWrite = try file.prepare("DELETE FROM writes WHERE number = ?")
        addValue = try file.prepare("INSERT INTO cache VALUES(?, ?, ?)")
        findValue = try file.prepare("SELECT frame FROM cache WHERE key = ?")
        useValue = try file.prepare("UPDATE cache SET used = ? WHERE key = ?")
        oldestValue = try file.prepare("SELECT key FROM cache ORDER BY used LIMIT 1")
        removeValue = try file.prepare("DELETE FROM cache WHERE key = ? RETURNING LENGTH(frame)")
    }

    /// The writes that were never answered, in order.
    func writes() throws(StorageError) -> [KeptWrite] {
        var writes: [KeptWrite] = []
        try file.prepare("SELECT number, frame FROM writes ORDER BY number").forEachRow { row in
            let number = UInt64(row.integer(at: 0))
            writes.append(KeptWrite(number: number, frame: Array(row.bytes(at: 1))))
            return true
        }
        return writes
    }

    /// The value that is kept under a key.
    func value(at key: String) throws(StorageError) -> [UInt8]? {
        findValue.bind(key, at: 1)
        guard let frame = try findValue.firstRow({ Array($0.bytes(at: 0)) }) else { return nil }
        lastUse += 1
        useValue.bind(lastUse, at: 1)
        useValue.bind(key, at: 2)
        try useValue.run()
        return frame
    }

    /// Keeps all of these, or none.
    func keep(_ records: [Record]) throws(StorageError) {
        try file.transaction { () throws(StorageError) in
            for record in records { try keep(record) }
            try dropOldest()
        }
    }

    private func keep(_ record: Record) throws(StorageError) {
        switch record {
        case .write(let number, let frame):
            addWrite.bind(Int64(number), at: 1)
            try addWrite.run(binding: frame, at: 2)
        case .writeEnded(let number):
            removeWrite.bind(Int64(number), at: 1)
            try removeWrite.run()
        case .value(let key, let frame):
            try drop(key)
            lastUse += 1
            addValue.bind(key, at: 1)
            addValue.bind(lastUse, at: 2)
            try addValue.run(binding: frame, at: 3)
            byteCount += Int64(frame.count)
        }
    }

    private func drop(_ key: String) throws(StorageError) {
        removeValue.bind(key, at: 1)
        var dropped: Int64 = 0
        try removeValue.forEachRow { row in
            dropped += row.integer(at: 0)
            return true
        }
        byteCount -= dropped
    }

    private func dropOldest() throws(StorageError) {
        while byteCount > byteLimit {
            guard let key = try oldestValue.firstRow({ $0.text(at: 0) }) else { return }
            try drop(key)
        }
    }
}

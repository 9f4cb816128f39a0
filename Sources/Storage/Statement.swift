internal import CSQLite

/// A compiled statement of a connection; parameters count from 1, columns from 0, as in SQL.
///
/// Values stay bound from run to run until others are bound.
public final class Statement {
    private let connection: Connection
    private let handle: OpaquePointer

    init(_ text: String, on connection: Connection) throws(StorageError) {
        self.connection = connection
        var prepared: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(
                connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
        guard let prepared else { preconditionFailure("there is no statement in `\(text)`") }
        handle = prepared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds a number.
    public func bind(_ number: Int64, at index: Int) {
        bound(sqlite3_bind_int64(handle, Int32(index), number))
    }

    /// Binds a copy of a text.
    public func bind(_ text: String, at index: Int) {
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        // The length is given, since a text may contain NUL.
        let result = text.withCString { start in
            sqlite3_bind_text(handle, Int32(index), start, Int32(text.utf8.count), copies)
        }
        bound(result)
    }

    /// Runs the statement with `bytes` bound without a copy, and ignores its rows.
    public func run(
        binding bytes: UnsafeRawBufferPointer, at index: Int
    ) throws(StorageError) {
        // An empty blob needs an address: without one, SQLite would bind NULL.
        let result =
            bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, Int32(index), 0)
            : sqlite3_bind_blob64(
                handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), nil)
        try connection.check(result)
        defer { sqlite3_bind_null(handle, Int32(index)) }
        try run()
    }

    /// Runs the statement with `bytes` bound without a copy, and ignores its rows.
    public func run(binding bytes: [UInt8], at index: Int) throws(StorageError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(StorageError) in
            try run(binding: bytes, at: index)
        }
    }

    /// Runs the statement to its end, and ignores its rows.
    public func run() throws(StorageError) {
        try forEachRow { _ in true }
    }

    /// Runs the statement and reads its first row; nil if there is none.
    public func firstRow<Result>(_ body: (Row) -> Result) throws(StorageError) -> Result? {
        var result: Result?
        try forEachRow { row in
            result = body(row)
            return false
        }
        return result
    }

    /// Runs the statement and passes each row to `body`, until that returns false.
    public func forEachRow(_ body: (Row) -> Bool) throws(StorageError) {
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: guard body(Row(statement: handle)) else { return }
            case SQLITE_DONE: return
            case let failure: throw connection.lastError(failure)
            }
        }
    }

    private func bound(_ result: Int32) {
        precondition(result == SQLITE_OK, "a value cannot be bound: SQLite error \(result)")
    }
}

/// The current row of a running statement, for the closure that receives it.
public struct Row {
    let statement: OpaquePointer

    package func integer(at column: Int) -> Int64 {
        sqlite3_column_int64(statement, Int32(column))
    }

    /// The number, or nil if the column is NULL.
    package func optionalInteger(at column: Int) -> Int64? {
        let isNull = sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
        return isNull ? nil : integer(at: column)
    }

    package func text(at column: Int) -> String {
        String(decoding: bytes(at: column), as: UTF8.self)
    }

    /// The bytes in SQLite's memory: valid until the closure returns.
    public func bytes(at column: Int) -> UnsafeRawBufferPointer {
        // The address first: requesting it may change the length.
        let start = sqlite3_column_blob(statement, Int32(column))
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}

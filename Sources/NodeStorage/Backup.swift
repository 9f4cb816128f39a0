internal import CLibrary
public import Storage
internal import Store

extension SQLiteTables {
    /// Writes a copy of everything committed to a new file at `path`, which appears once it is
    /// complete and on the disk; a node that starts on it is another writer.
    ///
    /// - Throws: `.cannotOpen` also if the file exists, `.diskFull`.
    /// - Complexity: reads the whole database; what is submitted meanwhile waits.
    public func backUp(to path: String) throws(StorageError) {
        let partial = path + ".partial"
        unlink(partial)
        defer { unlink(partial) }
        // SQLite fills an empty file, and would give one of its own the mode 0644.
        // SQLite would report that a database cannot be opened.
        guard createPrivateFile(partial) else { throw .unwritable(path) }
        let copy = try connection.prepare("VACUUM INTO ?1")
        copy.bind(partial, at: 1)
        try copy.run()
        try Connection(path: partial).execute("PRAGMA journal_mode = DELETE")
        // Unlike a rename, a link does not replace an existing file.
        guard isSynchronized(partial), link(partial, path) == 0, synchronizeFolder(of: path)
        else {
            throw StorageError(
                .cannotOpen, message: String(cString: strerror(errno)), path: path)
        }
    }

    private func isSynchronized(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return file >= 0 && fsync(file) == 0
    }

    /// Checks that the file at `path` is a complete, undamaged database of this version of Hearth.
    ///
    /// - Throws: `.cannotOpen` also if there is none, `.wrongFormat`, `.corrupt`, `.locked`.
    /// - Complexity: reads the whole file.
    public static func check(_ path: String) throws(StorageError) {
        guard access(path, F_OK) == 0 else {
            throw StorageError(
                .cannotOpen, message: String(cString: strerror(errno)), path: path)
        }
        guard hasFirstPage(path) else {
            throw StorageError(
                .corrupt, message: "it is empty, or has only the beginning of a database",
                path: path)
        }
        try SQLiteTables(path: path).check()
    }

    /// Marks the copy at `path` as older than the latest disk of the node that starts on it. The mark is in the file itself
    /// afterwards, which has no write-ahead log.
    ///
    /// - Parameter isOfOtherNode: Whether another node has written it, whose votes and incarnations are not those of this one.
    /// - Throws: as opening does, and `.diskFull`.
    public static func markAsOlderDisk(
        _ path: String, isOfOtherNode: Bool = false
    ) throws(StorageError) {
        let tables = try SQLiteTables(path: path)
        var store = NodeStore(tables)
        if isOfOtherNode { try store.forgetNode() }
        try store.markAsOlderDisk()
        try tables.connection.execute("PRAGMA journal_mode = DELETE")
    }

    /// Has the node of the database at `path` serve without what it has lost with its disk.
    ///
    /// - Returns: Whether it had lost something and waits for other members.
    /// - Throws: as opening does, `.locked` while a node runs on it, and `.diskFull`.
    public static func acceptLoss(_ path: String) throws(StorageError) -> Bool {
        var store = NodeStore(try SQLiteTables(path: path))
        return try store.acceptLoss()
    }

    /// Whether the file contains the first page of a database. SQLite creates a new database in a shorter file.
    private static func hasFirstPage(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 18)
        var status = stat()
        guard file >= 0, read(file, &head, head.count) == head.count, fstat(file, &status) == 0
        else { return false }
        // The page size is a big-endian number, with 1 for 65,536 (https://sqlite.org/fileformat.html, section 1.3).
        let number = Int(head[16]) << 8 | Int(head[17])
        return status.st_size >= (number == 1 ? 65_536 : number)
    }
}

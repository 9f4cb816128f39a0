internal import CSQLite

extension LogFile {
    /// Writes a copy of all that is committed to a new file at `path`; a node that starts on it is
    /// another writer.
    ///
    /// - Throws: `.cannotOpen` also if there is a file already, `.diskFull`.
    /// - Complexity: reads the whole file; what is submitted meanwhile waits.
    public func backUp(to path: String) throws(StorageError) {
        let copy = try connection.prepare("VACUUM INTO ?1")
        copy.bind(path, at: 1)
        try copy.run()
        try Connection(path: path).execute("PRAGMA journal_mode = DELETE")
    }
}

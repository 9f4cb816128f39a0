internal import CLibrary
public import Storage

/// An archive that a node writes into a file, which gets its name once it is complete.
public struct BackupArchiveFile: Sendable {
    private static let chunkBytes = 1 << 20

    /// The path of the complete archive.
    public let path: String
    private let unfinishedPath: String
    private let seconds: UInt64

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - manifest: The content of its first entry.
    ///   - seconds: The time of its entries, in seconds since 1970.
    /// - Throws: `.cannotOpen` also if there is a file at `path`.
    public init(
        at path: String, unfinishedAt unfinishedPath: String, manifest: [UInt8], seconds: UInt64
    ) throws(StorageError) {
        (self.path, self.unfinishedPath, self.seconds) = (path, unfinishedPath, seconds)
        guard access(path, F_OK) != 0 else {
            throw StorageError(
                code: .cannotOpen, problem: "\(path) exists already", fix: "choose another name")
        }
        let file = open(unfinishedPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure }
        defer { close(file) }
        try write(BackupArchive.firstEntry(manifest, seconds: seconds), to: file)
    }

    /// Appends the copy of a database.
    public func append(copyAt source: String, of database: String) throws(StorageError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        defer { if input >= 0 { close(input) } }
        var status = stat()
        guard input >= 0, fstat(input, &status) == 0 else { throw failure }
        let byteCount = Int(status.st_size)
        let output = open(unfinishedPath, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { if output >= 0 { close(output) } }
        let name = BackupArchive.entryName(of: database)
        try write(
            BackupArchive.head(of: name, byteCount: byteCount, seconds: seconds), to: output)
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        var copied = 0
        while copied < byteCount {
            let count = read(input, &chunk, min(chunk.count, byteCount - copied))
            guard count > 0 else { throw failure }
            try write(chunk[..<count], to: output)
            copied += count
        }
        try write(BackupArchive.padding(after: byteCount), to: output)
    }

    /// Appends the end, and gives the file its name. Unlike a rename, that does not replace an existing file.
    public func finish() throws(StorageError) {
        let output = open(unfinishedPath, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { if output >= 0 { close(output) } }
        try write(BackupArchive.end, to: output)
        guard fsync(output) == 0, link(unfinishedPath, path) == 0, synchronizeFolder(of: path)
        else { throw failure }
        unlink(unfinishedPath)
    }

    private func write(
        _ bytes: some Collection<UInt8>, to file: Int32
    ) throws(StorageError) {
        let isWritten = Array(bytes).withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = CLibrary.write(
                    file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
        if !isWritten { throw failure }
    }

    /// The error of the system about the archive.
    private var failure: StorageError { .unwritable(path) }
}

extension StorageError {
    /// The error of the system about a file that cannot be written.
    static func unwritable(_ path: String) -> StorageError {
        StorageError(
            code: errno == ENOSPC ? .diskFull : .cannotOpen,
            problem: "cannot write \(path): \(String(cString: strerror(errno)))",
            fix: errno == ENOSPC
                ? "free some space; the databases themselves are not affected"
                : "give this user the right to write in its folder")
    }
}

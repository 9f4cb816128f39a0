internal import Glibc
internal import Storage

/// The files of a node's database, to find out whether they were deleted or replaced while the node has them open.
///
/// A process goes on writing into deleted files, without any error; at its end they are gone.
struct DatabaseFiles {
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    private let paths: [String]
    /// Of each file, once it was there: SQLite creates the write-ahead log with the first write.
    private var identities: [Identity?]

    /// - Parameter database: The path of an open database; nil in memory.
    init(of database: String?) {
        paths = database.map { [$0, $0 + "-wal"] } ?? []
        identities = paths.map(Identity.init)
    }

    /// Why writes would be lost; nil while all files are in place.
    mutating func problem() -> StorageError? {
        for (index, path) in paths.enumerated() {
            let found = Identity(of: path)
            guard let expected = identities[index] else {
                identities[index] = found
                continue
            }
            if found != expected { return .missing(path) }
        }
        return nil
    }
}

extension StorageError {
    fileprivate static func missing(_ path: String) -> StorageError {
        StorageError(
            code: .missing,
            problem: "\(path) was deleted, moved or replaced while the node had it open",
            fix:
                "move its folder back, or stop the node and start it again: with an empty folder it "
                + "gets the data from its peers; until then, use another node")
    }
}

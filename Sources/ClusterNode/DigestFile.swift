internal import Glibc

/// The file beside a sleeping database with the digest of its operations. By it, a node that starts knows which of its sleeping
/// databases differ from those of its peers, without opening them.
///
/// The digest counts only while the database is the file that was closed then: the same inode, size and time of change, and no
/// write-ahead log. So neither a crash nor a restored copy makes it wrong, and it need not be synced.
struct DigestFile {
    private let database: String
    private var path: String { database + "-digest" }

    /// - Parameter database: The path of the database's file.
    init(of database: String) { self.database = database }

    /// The digest; nil if there is none, or the database has changed since.
    func read() -> UInt64? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0, let identity else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(
            separator: " ", maxSplits: 1)
        guard words.count == 2, words[1] == identity else { return nil }
        return UInt64(words[0])
    }

    /// Records the digest of a database that has just been closed.
    func write(_ digest: UInt64) {
        guard let identity else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let text = Array("\(digest) \(identity)".utf8)
        // A part of it is not equal to the whole, and so is none.
        _ = Glibc.write(file, text, text.count)
    }

    /// The marks of the closed file; nil if there is none, or one that is open or was not closed.
    private var identity: String? {
        var status = stat()
        guard access(database + "-wal", F_OK) != 0, stat(database, &status) == 0 else { return nil }
        let time = status.st_mtim
        return "\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)."
    }
}

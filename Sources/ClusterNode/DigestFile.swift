internal import DataTree
internal import Glibc

/// The file beside a sleeping database with the digests of its operations and of its tree. By it, a node that starts knows which of its sleeping
/// databases differ from those of its peers, without opening them.
///
/// The digest counts only while the database is the file that was closed then: the same inode, size and time of change, and no
/// write-ahead log. So neither a crash nor a restored copy makes it wrong, and it need not be synced.
struct DigestFile {
    /// The digests of a closed database.
    struct Digests: Equatable {
        let operations: UInt64
        /// Nil if it was not known, or the file is of an earlier version.
        let tree: TreeDigest?
    }

    private let database: String
    private var path: String { database + "-digest" }

    /// - Parameter database: The path of the database's file.
    init(of database: String) { self.database = database }

    /// The digests; nil if there are none, or the database has changed since.
    func read() -> Digests? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0, let identity else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(
            separator: " ", maxSplits: 1)
        guard words.count == 2, words[1] == identity else { return nil }
        return Digests(String(words[0]))
    }

    /// Records the digests of a database that has just been closed.
    func write(_ digests: Digests) {
        guard let identity else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let text = Array("\(digests.text) \(identity)".utf8)
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

extension DigestFile.Digests {
    /// As in `17` or `17,5,6`.
    fileprivate init?(_ text: String) {
        let words = text.split(separator: ",").map { UInt64($0) }
        guard let first = words.first, let operations = first else { return nil }
        var tree: TreeDigest?
        if words.count == 3, let first = words[1], let second = words[2] {
            tree = TreeDigest(first, second)
        }
        self.init(operations: operations, tree: tree)
    }

    fileprivate var text: String {
        tree.map { "\(operations),\($0.first),\($0.second)" } ?? "\(operations)"
    }
}

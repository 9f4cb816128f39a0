internal import ClientCore
internal import DataTree
internal import EventLoop
internal import QueryEngine
internal import SyncProtocol
internal import Threads

/// A place in the tree of a database, to read, write and listen at.
///
///     let posts = Database.database().reference().child("posts")
///     posts.childByAutoId().setValue(["title": "Hello"])
///
/// `@unchecked` as its superclass is, for the same reason; what it adds never changes.
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {
    /// On how many nodes writes have to be durable; nil for what the database says.
    let concern: WriteConcern?

    init(
        _ database: Database, _ path: Path, _ concern: WriteConcern? = nil,
        misuse: HearthError? = nil
    ) {
        self.concern = concern
        super.init(database, path, misuse: misuse)
    }

    /// The last key of the path; nil at the root.
    public var key: String? { path.last?.text }

    /// The address of the database's first node, without its key, and the path behind it, percent-encoded.
    ///
    /// `Database.reference(fromURL:)` leads back here.
    public var url: String { database.baseURL + path.urlText + database.baseQuery }

    /// Drops the connection of `Database.database()` until `goOnline()`.
    public static func goOffline() { Database.database().goOffline() }

    /// Connects `Database.database()` again.
    public static func goOnline() { Database.database().goOnline() }

    /// The place above; nil at the root.
    public var parent: DatabaseReference? {
        path.parent.map { DatabaseReference(database, $0, concern, misuse: misuse) }
    }

    /// The root of the tree.
    public var root: DatabaseReference { DatabaseReference(database, .root, concern) }

    /// The place at a relative path; each use of an invalid one fails with the code `invalid`.
    public func child(_ path: String) -> DatabaseReference {
        do throws(DataError) {
            let location = self.path.appending(try Path(reference: path))
            if let problem = location.limitExceeded { throw .tooLong(location, problem) }
            return DatabaseReference(database, location, concern, misuse: misuse)
        } catch {
            return invalid(path, misuse ?? .misuse(error))
        }
    }

    /// The reference that an invalid path led to.
    func invalid(_ path: String, _ misuse: HearthError) -> DatabaseReference {
        DatabaseReference(database, self.path.appending(.invalid(path)), concern, misuse: misuse)
    }

    /// A child with a new key, which sorts after all keys made before.
    ///
    /// Any number of programs make keys at the same time without a conflict: a key holds the time, as
    /// the node's clock shows it, and 72 random bits.
    public func childByAutoId() -> DatabaseReference {
        DatabaseReference(database, path.appending(newKey()), concern, misuse: misuse)
    }

    private struct NewKeys: Sendable {
        var generator = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
    }

    /// One for the process: each key sorts after the one before.
    private static let newKeys = Monitor(NewKeys())

    private func newKey() -> Key {
        var milliseconds = Loop.wallClockMilliseconds
        if case .success(let connection) = database.connection {
            milliseconds = connection.nodeMilliseconds
        }
        return DatabaseReference.newKeys.withLock { keys in
            keys.generator.next(at: milliseconds, random: &keys.random)
        }
    }
}

extension Path {
    /// The location of a client's own state: whether it is connected, and the offset of its clock.
    static let clientInformation = Key(unchecked: ".info")

    /// Takes a path that may lie in `.info`, which no node has.
    fileprivate init(reference text: String) throws(DataError) {
        let trimmed = text.drop { $0 == "/" }
        guard trimmed == ".info" || trimmed.hasPrefix(".info/") else {
            self = try Path(text)
            return
        }
        self = Path([Path.clientInformation])
            .appending(try Path(String(trimmed.dropFirst(".info".count))))
    }
}

extension DatabaseReference: CustomStringConvertible {
    /// Its `url`, as in Firebase.
    public var description: String { url }
}

extension DataError {
    fileprivate static func tooLong(_ path: Path, _ problem: String) -> DataError {
        DataError(
            problem: "invalid path \(path): \(problem)",
            fix: "keep the tree flatter, and keys shorter")
    }
}

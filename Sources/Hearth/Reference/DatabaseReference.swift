internal import DataTree
internal import EventLoop
internal import Threads

/// A place in the tree of a database, to read, write and listen at.
public struct DatabaseReference: Sendable {
    public let database: Database
    let path: Path

    init(_ database: Database, _ path: Path) {
        self.database = database
        self.path = path
    }

    /// The last key of the path; nil at the root.
    public var key: String? { path.last?.text }

    public var parent: DatabaseReference? { path.parent.map { DatabaseReference(database, $0) } }

    public var root: DatabaseReference { DatabaseReference(database, .root) }

    /// The place at a relative path; an invalid path is a mistake of the program and stops it.
    public func child(_ path: String) -> DatabaseReference {
        do throws(DataError) {
            return DatabaseReference(database, self.path.appending(try Path(path)))
        } catch {
            preconditionFailure("\(error.problem): \(error.fix)")
        }
    }

    /// A child with a new key, which sorts after all keys made before.
    public func childByAutoId() -> DatabaseReference {
        DatabaseReference(database, path.appending(DatabaseReference.newKey()))
    }

    private static let keys = Monitor(PushIDGenerator())

    private static func newKey() -> Key {
        keys.withLock { keys in
            var random = SystemRandomNumberGenerator()
            return keys.next(at: Loop.wallClockMilliseconds, random: &random)
        }
    }
}

extension DatabaseReference: CustomStringConvertible {
    public var description: String { path.description }
}

extension DatabaseReference: Equatable {
    public static func == (a: DatabaseReference, b: DatabaseReference) -> Bool {
        a.database === b.database && a.path == b.path
    }
}

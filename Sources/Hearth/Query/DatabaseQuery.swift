internal import ClientCore
internal import DataTree
internal import QueryEngine

/// A place in the tree, and a selection of its children: an order, a range and a limit.
///
///     let recent = messages.queryOrdered(byChild: "time").queryLimited(toLast: 100)
///     for await event in recent.events { … }
///
/// Each refinement returns a new query and does no work. An invalid one, such as a second order, returns a query whose
/// uses all fail with the code `invalid` and Firebase's message, which the SDK also logs at once.
///
/// `@unchecked` because only a final class is checked; all is constant here and in its one subclass.
public class DatabaseQuery: @unchecked Sendable {
    /// The way to the cluster.
    public let database: Database
    let path: Path
    let query: Query
    /// The first invalid call that led to this query; every use of the query fails with it.
    let misuse: HearthError?

    init(
        _ database: Database, _ path: Path, _ query: Query = Query(), misuse: HearthError? = nil
    ) {
        self.database = database
        self.path = path
        self.query = query
        self.misuse = misuse
    }

    /// The place whose children are asked for.
    public var ref: DatabaseReference { DatabaseReference(database, path, misuse: misuse) }

    /// The connection for a use of this query, or the reason why the use fails.
    var connection: Result<Connection, HearthError> {
        misuse.map(Result.failure) ?? database.connection
    }
}

extension DatabaseQuery: Hashable {
    /// Two queries are equal if they ask for the same of the same database.
    public static func == (a: DatabaseQuery, b: DatabaseQuery) -> Bool {
        a.database === b.database && a.path == b.path && a.query == b.query
            && a.misuse == b.misuse
    }

    /// Hashes the path and the query, but not the database.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
    }
}

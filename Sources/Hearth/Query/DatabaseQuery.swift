internal import ClientCore
internal import DataTree
internal import QueryEngine

/// A place in the tree, and a selection of its children: an order, a range and a limit.
///
///     let recent = messages.queryOrdered(byChild: "time").queryLimited(toLast: 100)
///     for await event in recent.events { … }
///
/// Each refinement returns a new query and does no work. An invalid one, as a second order, is a mistake of the
/// program and stops it, with Firebase's message.
///
/// `@unchecked` because only a final class is checked; all is constant here and in its one subclass.
public class DatabaseQuery: @unchecked Sendable {
    /// The way to the cluster.
    public let database: Database
    let path: Path
    let query: Query

    init(_ database: Database, _ path: Path, _ query: Query = Query()) {
        self.database = database
        self.path = path
        self.query = query
    }

    /// The place whose children are asked for.
    public var ref: DatabaseReference { DatabaseReference(database, path) }
}

extension DatabaseQuery: Hashable {
    /// Two queries are equal if they ask for the same of the same database.
    public static func == (a: DatabaseQuery, b: DatabaseQuery) -> Bool {
        a.database === b.database && a.path == b.path && a.query == b.query
    }

    /// Hashes the path and the query, but not the database.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
    }
}

/// The result of a step that only a mistake of the program lets fail, which then stops it.
func require<Input, Result>(
    _ body: (Input) throws(DataError) -> Result, _ input: Input
) -> Result {
    do throws(DataError) {
        return try body(input)
    } catch {
        preconditionFailure("\(error.problem); \(error.fix)")
    }
}

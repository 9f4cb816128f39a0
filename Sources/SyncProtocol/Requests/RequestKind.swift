package import DataTree
package import QueryEngine

/// The effect of a request.
public enum RequestKind: Sendable {
    /// It shows data, or changes what the session is shown.
    case read
    /// It makes an operation.
    case write
    /// It shows something about the node or the cluster.
    case report
    /// It changes something of the session, the node or the cluster, and makes no operation of a client.
    case action
}

/// The requirement for the requests of users; administrators may do everything.
package enum RulesCheck: Sendable {
    /// No requirement: the request concerns the session alone.
    case none
    /// The user is signed in.
    case signedIn
    /// The client is a monitor; users are refused.
    case monitors
    /// Users and monitors are refused.
    case administratorsOnly
    /// The rules permit the user to read what a query shows.
    case read(Path, Query)
    /// The rules permit the user these writes.
    case write([Write])
    /// The rules are evaluated as the request is executed, on the values that it stores or shows then.
    case duringExecution
}

/// The meaning of a database name that the cluster does not have, as `unknownDatabases` of the configuration sets it.
public enum UnknownDatabases: String, CaseIterable, Sendable {
    /// The client uses the default database.
    case useDefault = "default"
    /// The database is created, open to all clients that may use the cluster.
    case create
    /// The request is refused.
    case refuse
}

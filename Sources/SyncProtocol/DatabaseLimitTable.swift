/// The limits of all databases: those of the configuration, and over them those of the catalog.
public struct DatabaseLimitTable: Equatable, Sendable {
    /// The limits of databases for which nothing else is set.
    public var general = DatabaseLimits()
    /// The limits of single databases in the configuration.
    public var configured: [DatabaseName: DatabaseLimits] = [:]
    /// The limits of single databases in the catalog.
    private var cataloged: [DatabaseName: DatabaseLimits] = [:]

    /// No limits.
    public init() {}

    /// The limits of a database.
    public func limits(of name: DatabaseName) -> DatabaseLimits {
        var limits = general
        if let own = configured[name] { limits = own.over(limits) }
        if let own = cataloged[name] { limits = own.over(limits) }
        return limits
    }

    /// The limits that the catalog has for a database.
    public func cataloged(of name: DatabaseName) -> DatabaseLimits {
        cataloged[name] ?? DatabaseLimits()
    }

    /// The databases for which the catalog has limits, in no order.
    public var catalogedNames: some Sequence<DatabaseName> { cataloged.keys }

    /// Sets the limits that the catalog has for a database.
    public mutating func setCataloged(_ limits: DatabaseLimits, of name: DatabaseName) {
        cataloged[name] = limits.isEmpty ? nil : limits
    }
}

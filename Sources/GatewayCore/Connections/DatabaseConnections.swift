internal import SyncProtocol

/// The lasting connections of each database, and how many there may be: streams of events, and sessions of Firebase's and of
/// native clients. A request is no such connection, as in Firebase, and neither is a page of the console.
struct DatabaseConnections {
    /// The limits of all databases.
    var limits: DatabaseLimitTable
    private var counts: [DatabaseName: Int] = [:]
    private var refusals: [DatabaseName: Int] = [:]

    /// No connections.
    init(within limits: DatabaseLimitTable) { self.limits = limits }

    /// The connections of a database.
    func count(of database: DatabaseName) -> Int { counts[database] ?? 0 }

    /// How many connections of a database were refused.
    func refusalCount(of database: DatabaseName) -> Int { refusals[database] ?? 0 }

    /// Checks that a database may have another connection.
    ///
    /// - Throws: The refusal, which is counted.
    mutating func checkRoom(in database: DatabaseName) throws(RestFailure) {
        guard let limit = limits.limits(of: database).limit(.connections),
            count(of: database) >= limit
        else { return }
        refusals[database, default: 0] += 1
        throw RestFailure(
            status: 429, problem: "Too many connections: the database permits \(limit).",
            fix: "try again later, or have an administrator raise the limit")
    }

    /// Counts a connection.
    mutating func enter(_ database: DatabaseName) { counts[database, default: 0] += 1 }

    /// Counts a connection no more.
    mutating func leave(_ database: DatabaseName) {
        let count = count(of: database)
        precondition(count > 0, "a connection of \(database) ends that was not counted")
        counts[database] = count > 1 ? count - 1 : nil
    }
}

extension Activity {
    /// Whether the connection counts among those of its database. A session with long polls counts itself, since it outlives its
    /// polls.
    var isLasting: Bool {
        switch self {
        case .streaming, .native: true
        case .realtime(let realtime): realtime.session != nil
        case .idle, .receiving, .asking, .hashing, .answering, .copying, .refusing, .polling,
            .console, .closing:
            false
        }
    }
}

extension RequestPlan {
    /// Whether the request begins a lasting connection. A WebSocket to which a session with long polls changes does not.
    var beginsLastingConnection: Bool {
        switch self {
        case .native: true
        case .realtime(let head): head.polled == nil
        case .rest(let request): request.verb == .stream
        case .longPoll(.start): true
        case .longPoll, .answer, .rules, .report, .backup, .console, .refusedRealtime: false
        }
    }
}

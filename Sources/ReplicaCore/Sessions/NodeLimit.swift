/// A limit of a node by which it refuses or delays requests, as `status` and `/metrics` name it.
enum NodeLimit: String, CaseIterable, Sendable {
    /// The work that the rules of one request may take.
    case ruleWork = "rule_work"
    /// The share of a turn that a connection may use; requests above it wait.
    case share = "session_work"
    /// The requests that wait.
    case waitingRequests = "waiting_requests"
    /// The on-disconnect writes of a connection, or of all.
    case disconnectBytes = "disconnect_bytes"
    /// The answers that clients have not read.
    case unreadAnswers = "unread_answers"

    // The limits of the database.
    case writesPerSecond = "writes_per_second"
    case bytesPerSecond = "bytes_per_second"
    case dataBytes = "data_bytes"
    case answerBytes = "answer_bytes"

    /// Whether it is a limit of the database.
    var isOfDatabase: Bool {
        switch self {
        case .writesPerSecond, .bytesPerSecond, .dataBytes, .answerBytes: true
        case .ruleWork, .share, .waitingRequests, .disconnectBytes, .unreadAnswers: false
        }
    }
}

/// How often each limit has refused or delayed something.
struct LimitCounts: Sendable {
    private var counts: [NodeLimit: UInt64] = [:]

    mutating func count(_ limit: NodeLimit) { counts[limit, default: 0] += 1 }

    /// How often a limit has refused or delayed something.
    func count(of limit: NodeLimit) -> Int { Int(clamping: counts[limit] ?? 0) }

    /// The counts by the names of the limits.
    var byName: [String: Int] {
        var named: [String: Int] = [:]
        for (limit, count) in counts { named[limit.rawValue] = Int(clamping: count) }
        return named
    }
}

internal import HTTPText

/// The counters of a gateway.
struct GatewayMetrics {
    private struct Request: Hashable {
        let method: String
        let status: Int
    }

    /// Open connections.
    var connections: [ConnectionKind: Int] = [:]
    /// How long turns of the node took.
    var turns = Histogram()
    /// How long writes took until they were answered, to a millisecond.
    var acknowledgements = Histogram()
    /// Why sessions of Firebase's protocol have ended.
    var ends = SessionEnds()
    private var requests: [Request: UInt64] = [:]

    /// Counts an answered request; nil for bytes that are no request.
    mutating func countRequest(_ method: HTTPMethod?, _ status: Int) {
        // Names that clients make up would fill the table.
        let name = if case .other? = method { "other" } else { method?.name ?? "none" }
        requests[Request(method: name, status: status), default: 0] += 1
    }

    /// The counts of requests by method and status, in their order.
    var requestCounts: [(method: String, status: Int, count: UInt64)] {
        requests.map { ($0.key.method, $0.key.status, $0.value) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }
}

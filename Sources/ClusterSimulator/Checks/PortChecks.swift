import DataTree
import GatewayCore

/// What clients of HTTP ports were answered and sent is right, and gateways keep nothing for clients that are gone.
enum PortChecks {
    static func judge(_ check: Check, _ evidence: Evidence) -> Finding {
        let tallies =
            evidence.restClients.map { ($0.index, $0.tally) }
            + evidence.streamClients.map { ($0.index, $0.tally) }
        for (index, tally) in tallies {
            if let failure = tally.failures[check] { return .invalid("c\(index + 1) \(failure)") }
        }
        let count = tallies.reduce(0) { $0 + ($1.1.counts[check] ?? 0) }
        switch check {
        case .restReadsShowTheTree: return .valid(count, "reads over REST")
        case .malformedRequestsAreRefused: return .valid(count, "requests that had to be refused")
        case .nodesReportTheTruth: return .valid(count, "reports of nodes about themselves")
        case .streamsShowTheTree: return .valid(count, "events of streams")
        default: return .valid(count, "answers over REST")
        }
    }

    /// No gateway has connections, names or bytes of clients that are gone.
    static func judgeLeftovers(_ evidence: Evidence) -> Finding {
        var count = 0
        for port in evidence.ports where port.usage.connections > 0 || port.wasUsed {
            count += 1
            if let leftover = port.leftover { return .invalid("\(port.node) \(leftover)") }
        }
        return .valid(count, "gateways with clients")
    }
}

extension Evidence {
    /// What a gateway kept in the end, and the clients that it had.
    struct Port {
        let node: String
        let usage: GatewayUsage
        let wasUsed: Bool
        /// The connections that live, and how many of them may be Firebase clients'.
        let connections: Int
        let realtime: Int
        /// The clients that poll.
        let polling: Int
        /// Whether one of the connections has ended, which the gateway has not noticed.
        let hasGoneClients: Bool

        /// What it keeps too much, or does not know; nil if all is well.
        var leftover: String? {
            if usage.connections != connections || usage.countedConnections != connections {
                return "has \(usage.connections) connections and counts "
                    + "\(usage.countedConnections), where \(connections) live"
            }
            if usage.names > realtime + usage.polledSessions {
                return "knows \(usage.names) sessions, where \(realtime) clients may have one"
            }
            if usage.bodyBytes != 0 { return "counts \(usage.bodyBytes) bytes of bodies" }
            if usage.sessionBytes != 0, !hasGoneClients {
                return "keeps \(usage.sessionBytes) bytes for clients that have read all"
            }
            // Clients that are gone without a word have sessions for a while, in which something may wait.
            if usage.polledBytes != 0, usage.polledSessions <= polling, !hasGoneClients {
                return "keeps \(usage.polledBytes) bytes for clients that poll and have all"
            }
            return usage.routes > realtime ? "has \(usage.routes) routes to connections" : nil
        }
    }
}

import DataTree
import GatewayCore

extension Check {
    package static let restReadsShowTheTree: Check = Check(
        "rest-reads-show-the-tree", judges: .rest, guarantees: "R1",
        claim: "a read over REST equals the tree of its node",
        criterion: """
            the data, ETag, form and status of a REST read equal those of a naive query on a \
            tree that its node had between request and answer
            """,
        evaluate: { PortChecks.evaluate(.restReadsShowTheTree, "reads over REST", $0) })

    package static let restAnswersAreRight: Check = Check(
        "rest-answers-are-right", judges: .rest, guarantees: "R2",
        claim: "each request over HTTP gets the right answer",
        criterion: """
            each REST request gets a permitted answer, in the order of requests; each connection \
            ends when its node says so, or after an idle time; a conditional write is answered \
            with the current ETag
            """,
        evaluate: { PortChecks.evaluate(.restAnswersAreRight, "answers over REST", $0) })

    package static let malformedRequestsAreRefused: Check = Check(
        "malformed-requests-are-refused", judges: .rest, guarantees: "R2",
        claim: "malformed requests are refused as HTTP requires",
        criterion: """
            a malformed request, or one for a missing resource, gets the right status, and its \
            connection continues or ends as HTTP requires
            """,
        evaluate: {
            PortChecks.evaluate(.malformedRequestsAreRefused, "requests that had to be refused", $0)
        })

    package static let streamsShowTheTree: Check = Check(
        "streams-show-the-tree", judges: .streams, guarantees: "R3",
        traits: [.atEnd],
        claim: "the events of a stream give the state of its node",
        criterion: """
            an event stream begins with all data, each event changes something, their sum is the \
            state of its node, and a quiet stream gets keep-alives
            """,
        evaluate: { PortChecks.evaluate(.streamsShowTheTree, "events of streams", $0) })

    package static let nodesReportTheTruth: Check = Check(
        "nodes-report-the-truth", judges: .nodes,
        claim: "health and metrics of a node agree with the run",
        criterion: """
            `/health` says whether a node serves, and why not; `/metrics` count the answers of \
            its port, have samples of all declared metrics, and consistent histograms
            """,
        evaluate: {
            PortChecks.evaluate(.nodesReportTheTruth, "reports of nodes about themselves", $0)
        })

    package static let gatewaysForgetClients: Check = Check(
        "gateways-forget-clients", judges: .nodes,
        traits: [.atEnd],
        claim: "no gateway keeps anything for clients that are gone",
        criterion: """
            at the end no gateway has connections, sessions or bytes of clients that are gone, \
            or bytes for clients that have read everything
            """,
        evaluate: PortChecks.evaluateLeftovers)
}

/// The answers to clients of HTTP ports are right, and gateways keep nothing for clients that are gone.
enum PortChecks {
    static func evaluate(_ check: Check, _ subject: String, _ evidence: Evidence) -> Finding {
        for (index, tally) in evidence.httpTallies {
            if let failure = tally.failures[check] { return .invalid("c\(index + 1) \(failure)") }
        }
        let count = evidence.httpTallies.reduce(0) { $0 + ($1.tally.counts[check] ?? 0) }
        return .valid(count, subject)
    }

    /// No gateway has connections, names or bytes of clients that are gone.
    static func evaluateLeftovers(_ evidence: Evidence) -> Finding {
        var count = 0
        for port in evidence.ports where port.usage.connections > 0 || port.wasUsed {
            count += 1
            if let leftover = port.leftover { return .invalid("\(port.node) \(leftover)") }
        }
        return .valid(count, "gateways with clients")
    }
}

extension Evidence {
    /// The memory of a gateway at the end, and its clients.
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

        /// The unnecessary or missing elements; nil if all is well.
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

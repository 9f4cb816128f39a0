extension Check {
    package static let nodesServeInTime: Check = Check(
        "nodes-serve-in-time", judges: .nodes,
        traits: [.timed],
        claim: "nodes serve soon after they start",
        criterion: "a node that starts while all others serve does so within `serve`",
        evaluate: ServiceInTime.evaluateNodes)

    package static let clientsConnectInTime: Check = Check(
        "clients-connect-in-time", judges: .library,
        traits: [.timed],
        claim: "clients are connected soon after nodes serve",
        criterion: """
            no client is without a node for longer than `connect` while all serve, and none \
            tries each more than eight times within 2 s while none does
            """,
        evaluate: ServiceInTime.evaluateClients)
}

/// How soon nodes serve after their starts, and how soon clients find nodes that serve.
enum ServiceInTime {
    /// A client may try each node so often within `NodeSearch.window`.
    private static let tryLimit = 8

    static func evaluateNodes(_ evidence: Evidence) -> Finding {
        let limit = evidence.scenario.cluster.serve
        let starts = evidence.starts.filter { !$0.isDisturbed }
        for start in starts {
            let end = start.served ?? evidence.converged ?? start.began
            guard end > start.began + limit else { continue }
            return .invalid(
                "n\(start.node + 1) began at \(start.began.description), while all others served, and "
                    + "served only at \(end.description)")
        }
        return .valid(starts.count, "starts beside nodes that served")
    }

    static func evaluateClients(_ evidence: Evidence) -> Finding {
        let limit = evidence.scenario.clients.connect
        let tryLimit = tryLimit * evidence.scenario.cluster.replicas
        for client in evidence.sdkClients {
            if client.search.longest > limit {
                return .invalid(
                    "c\(client.index + 1) had no node for \(client.search.longest.description), while all "
                        + "served")
            }
            if client.search.most > tryLimit {
                return .invalid(
                    "c\(client.index + 1) tried to connect \(client.search.most) times within "
                        + "\(NodeSearch.window.description), while no node served")
            }
        }
        let count = evidence.sdkClients.reduce(0) { $0 + $1.search.count }
        return .valid(count, "searches for a node")
    }
}

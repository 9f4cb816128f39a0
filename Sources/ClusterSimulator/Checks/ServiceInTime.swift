/// How soon nodes serve after their starts, and how soon clients find nodes that serve.
enum ServiceInTime {
    /// A client may try each node so often within `NodeSearch.window`.
    private static let tryLimit = 8

    static func judgeNodes(_ evidence: Evidence) -> Finding {
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

    static func judgeClients(_ evidence: Evidence) -> Finding {
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

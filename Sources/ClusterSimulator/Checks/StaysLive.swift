import SyncProtocol

extension Check {
    package static let staysLive: Check = Check(
        "stays-live", judges: .all, guarantees: "C2",
        failure: .liveness,
        claim: "the nodes become equal once all faults are over",
        criterion: "the replicas become equal once all faults are over",
        evaluate: StaysLive.evaluate)
}

/// Once all faults are over the replicas become equal, in time counted from the last progress.
enum StaysLive {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if evidence.history.operations.isEmpty, evidence.programs.isEmpty {
            return .unknown("there was no operation")
        }
        if let converged = evidence.converged {
            let time = converged - min(converged, evidence.quiescenceBegan)
            return .valid("equal \(time.description) after the last fault")
        }
        return .invalid(missing(in: evidence) ?? unanswered(in: evidence))
    }

    /// A node that lacks operations, and which; nil if no node does.
    private static func missing(in evidence: Evidence) -> String? {
        var most = VersionVector()
        for node in evidence.nodes {
            for (origin, sequence) in node.vector?.entries ?? [] {
                most[origin] = max(most[origin], sequence)
            }
        }
        for node in evidence.nodes {
            guard let vector = node.vector else { return "\(node.name) is not up" }
            for (origin, sequence) in most.entries where vector[origin] < sequence {
                let name = evidence.nodes.first { $0.writer == origin }?.name
                let source = name ?? "an earlier incarnation, \(origin)"
                return "\(node.name) waits for the operations \(vector[origin] + 1) to \(sequence) "
                    + "of \(source)"
            }
        }
        return nil
    }

    private static func unanswered(in evidence: Evidence) -> String {
        if let open = evidence.history.operations.first(where: { $0.outcome == .open }) {
            return "never answered: \(open)"
        }
        for (index, streams) in evidence.programs {
            if let stream = streams.first(where: { $0.value == nil && !$0.isOver }) {
                return "c\(index + 1) never gets the value at \(stream.path)"
            }
        }
        for application in evidence.applications {
            let name = "c\(application.index + 1)"
            if let request = application.open.min(by: { $0.key < $1.key }) {
                return "request \(request.key) of \(name), \(request.value), never comes out; the "
                    + "connection is \(application.connection.map(String.init) ?? "none")"
            }
        }
        return "not at rest: \(evidence.unrest ?? "all were, but only for a moment")"
    }
}

/// The operation of each acknowledged write is held by every replica, and what a replica holds is on its
/// disk.
enum AcknowledgedWritesSurvive {
    static func judge(_ evidence: Evidence) -> Finding {
        let wanted = evidence.acknowledged.compactMap { operation in
            operation.fingerprint.map { (print: $0, operation: operation) }
        }.sorted { $0.print < $1.print }
        if wanted.isEmpty {
            return .unknown("no write was acknowledged" + evidence.exemptionNote)
        }
        for node in evidence.nodes {
            if let flaw = node.diskFlaw { return .invalid(flaw) }
            var held = node.operations.compactMap { Fingerprint(of: $0.writes) }.sorted()[...]
            for (print, operation) in wanted {
                held = held.drop { $0 < print }
                guard held.first == print else {
                    return .invalid("\(node.name) does not hold: \(operation)")
                }
                held.removeFirst()
            }
        }
        return .valid(
            "\(wanted.count) writes on \(evidence.nodes.count) replicas"
                + evidence.exemptionNote)
    }
}

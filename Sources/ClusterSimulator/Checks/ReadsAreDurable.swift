import SyncProtocol

extension Check {
    package static let readsAreDurable: Check = Check(
        "reads-are-durable", judges: .clients, guarantees: "D1",
        claim: "data that a client reads are on its node's disk",
        criterion: """
            the data of a read, or of a frame to a dense program, were on the node's disk when \
            it arrived (with `durability=commit`)
            """,
        evaluate: ReadsAreDurable.evaluate)
}

/// If turns are durable before their outputs leave, all data that a client shows were on its node's disk by then.
enum ReadsAreDurable {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.cluster.durability == .commit else {
            return .unknown("nodes answer before their disks do")
        }
        if let failure = MirrorChecks.failure(of: .readsAreDurable, evidence) { return failure }
        var count = evidence.sdkClients.reduce(0) {
            $0 + ($1.tally.counts[.readsAreDurable] ?? 0)
        }
        for operation in evidence.history.operations where operation.isRead {
            guard let serving = operation.acknowledged, let completed = operation.completed
            else { continue }
            count += 1
            let isDurable = evidence.recording.durable[serving.node].contains {
                $0.time <= completed && $0.vector.covers(serving.vector)
            }
            if isDurable { continue }
            return .invalid(
                "a read shows what was not on the disk of its node", operation.line
            ).about(operation)
        }
        return .valid(count, "reads, and frames that listeners got")
    }
}

import SyncProtocol

/// Where turns are durable before their outputs leave, what a client is shown was on its node's disk by then.
enum ReadsAreDurable {
    static func judge(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.cluster.durability == .commit else {
            return .unknown("nodes answer before their disks do")
        }
        let shown = MirrorChecks.judge(.readsAreDurable, evidence)
        if shown.verdict == .invalid { return shown }
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

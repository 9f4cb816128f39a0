extension Check {
    package static let memoryIsFreed: Check = Check(
        "memory-is-freed", judges: .nodes,
        claim: "nodes and clients at rest keep nothing unnecessary",
        criterion: """
            at rest, no node has registers except those of hidden priorities, and no queue, \
            table or count of a node, its port, its disk or a client's library keeps anything \
            that `KeptAtRest` does not name
            """,
        evaluate: MemoryIsFreed.evaluate)
}

/// Once all operations are stable, no replica has registers, and nothing waits anywhere. Nothing becomes stable any more without a node
/// that is gone for good.
enum MemoryIsFreed {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.converged != nil else { return .unknown("the replicas never became equal") }
        if evidence.hasAbandonedNode {
            return .unknown("all wait for a node that is gone for good")
        }
        for (node, memory) in evidence.remembered where !memory.isFreed {
            let registers = memory.registered.first.map { first in
                "\(memory.registered.count) locations with registers, the first of them \(first)"
            }
            let kept = [registers].compactMap { $0 } + memory.waiting
            return .invalid(
                "\(node) has \(kept.joined(separator: ", ")), \(Quiescence.forgetting.description) after all replicas were "
                    + "equal")
        }
        for client in evidence.sdkClients where !client.isGone {
            guard let kept = KeptState.first(in: client.core) else { continue }
            return .invalid("the library of c\(client.index + 1) keeps \(kept) at rest")
        }
        return .valid(evidence.remembered.count + evidence.freedNodes, "replicas at rest")
    }
}

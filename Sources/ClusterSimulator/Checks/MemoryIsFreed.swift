extension Check {
    package static let memoryIsFreed: Check = Check(
        "memory-is-freed", judges: .nodes,
        claim: "nodes and clients at rest keep nothing unnecessary",
        criterion: """
            at rest, no node has registers except those of hidden priorities, and no queue, \
            table or count of a node, its port, its disk or a client's library keeps anything \
            that `KeptAtRest` does not name
            """,
        watch: MemoryWatch.self, evaluate: MemoryIsFreed.evaluate)
}

/// Once all operations are stable, no replica has registers, and nothing waits anywhere. Without a node that is gone
/// for good, nothing becomes stable.
enum MemoryIsFreed {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.converged != nil else { return .unknown("the replicas never became equal") }
        guard let watch = evidence.watches.first(of: MemoryWatch.self), !watch.isWaiting else {
            return .excused("all wait for a node that is gone for good")
        }
        for (node, memory) in watch.remembered where !memory.isFreed {
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
        return .valid(watch.remembered.count + watch.freedCount, "replicas at rest")
    }
}

/// Inspects the memory of the nodes that have not freed all at the end of a run.
struct MemoryWatch: Watch {
    private(set) var remembered: [(node: String, memory: RememberedState)] = []
    /// The number of nodes that have freed all.
    private(set) var freedCount = 0
    /// Whether a member is gone for good, and the others wait for it.
    private(set) var isWaiting = false

    init(_ scenario: Scenario, seed: UInt64) {}

    mutating func ended(_ run: SimulatedRun) {
        remembered = run.rememberedStates
        freedCount = run.quiescence.freed.count
        isWaiting = run.nodes.contains(where: \.isAbandoned)
    }
}

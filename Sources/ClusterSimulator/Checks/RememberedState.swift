import Convergence
import DataTree
import ReplicaCore

/// What a replica remembers besides its tree.
struct RememberedState {
    /// Locations with registers, other than those of priorities that no value shows.
    let registers: Int
    /// What waits, as "3 clients behind".
    let waiting: [String]

    init(of replica: Replica) {
        registers = RememberedState.count(replica.checkpoint.registers)
        let queues = replica.status.queues
        let clients = replica.status.clients
        waiting = [
            (queues.waitingBatches, "batches in the reorder buffer"),
            (queues.pendingTurns, "pending turns"),
            (queues.waitingForConcern, "writes that wait for a concern"),
            (queues.waitingTransactions, "forwarded transactions"),
            (queues.waitingForStable, "clients that wait for stable data"),
            (clients.clientsBehind, "clients behind"),
            (clients.waitingClients, "clients that wait to be served"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    var isFreed: Bool { registers == 0 && waiting.isEmpty }

    private static func count(_ registers: Registers) -> Int {
        var own = registers
        own.children = SortedMap()
        return registers.children.reduce(own.isEmpty ? 0 : 1) { sum, child in
            sum + (child.key == .priority ? 0 : count(child.value))
        }
    }
}

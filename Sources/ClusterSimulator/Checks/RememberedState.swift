import Convergence
import DataTree
import NodeCore
import ReplicaCore
import Store
import SyncProtocol

/// The memory of a node besides its tree.
struct RememberedState {
    /// Locations with registers, other than those of priorities that no value shows.
    let registered: [Path]
    /// The contents of queues, as "3 clients behind".
    private let queued: [String]
    private let core: NodeCore
    private let hasClients: Bool
    private let hasRecords: Bool

    /// Nil for a node without a process.
    ///
    /// - Parameters:
    ///   - hasClients: Whether clients are connected to the node.
    ///   - hasRecords: Whether clients are connected to any node: all know of their on-disconnect writes.
    init?(of node: VirtualNode, hasClients: Bool, hasRecords: Bool) {
        guard let core = node.core else { return nil }
        let replica = core.replica
        (self.core, self.hasClients, self.hasRecords) = (core, hasClients, hasRecords)
        let checkpoint = replica.checkpoint
        registered = RememberedState.locations(
            of: checkpoint.registers, at: .root, showing: checkpoint.value)
        let queues = replica.status.queues
        let clients = replica.status.clients
        // Some may wait for the next poll of a client that has gone to another node.
        let polled = core.gatewayUsage.polledSessions
        queued =
            [
                (queues.waitingBatches, "batches in the reorder buffer"),
                (queues.pendingTurns, "pending turns"),
                (queues.waitingForConcern, "writes that wait for a concern"),
                (queues.waitingTransactions, "forwarded transactions"),
                (queues.waitingForStable, "clients that wait for stable data"),
                (clients.clientsBehind - polled, "clients behind"),
                (clients.waitingClients, "clients that wait to be served"),
                (node.disk.orphanCount, "orphaned batches on disk"),
                (node.disk.needlessBatches, "batches in the log that the checkpoint covers"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    /// The contents of queues, and unnecessary memory.
    var waiting: [String] { queued + kept }

    /// Unnecessary memory, which takes much longer to find than the contents of queues.
    private var kept: [String] {
        [
            KeptState.first(
                in: core.replica, hasClients: hasClients, hasRecords: hasRecords,
                hasPolls: core.gatewayUsage.polledSessions > 0),
            KeptState.first(in: core),
        ]
        .compactMap { $0 }
    }

    var isFreed: Bool { registered.isEmpty && queued.isEmpty && kept.isEmpty }

    private static func locations(
        of registers: Registers, at path: Path, showing value: Value
    ) -> [Path] {
        var own = registers
        own.children = SortedMap()
        return registers.children.reduce(own.isEmpty ? [] : [path]) { all, child in
            let place = path.appending(child.key)
            guard child.key == .priority else {
                return all + locations(of: child.value, at: place, showing: value[child.key])
            }
            return all
                + (value.isNull ? [] : locations(of: child.value, at: place, showing: .null))
        }
    }
}

extension VirtualDisk {
    fileprivate var orphanCount: Int { store.tables.allRows(in: .orphan).count }

    /// How many batches the log has that all members hold, and that a start does not need.
    fileprivate var needlessBatches: Int {
        guard let head = store.tables.property("checkpoint").flatMap({ try? CheckpointHead($0) })
        else { return 0 }
        return store.tables.allRows(in: .batch).map { LogEntry($0) }
            .count { $0.last <= head.vector[$0.origin] }
    }
}

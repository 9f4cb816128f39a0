import ReplicaCore
import SyncProtocol

// What disks do beside storing and reading batches.

extension SimulatedRun {
    mutating func work(_ job: DiskJob, by node: Int) {
        let delay = random.time(in: TimeRange(2_000, 30_000))
        schedule(.diskWorked(node: node, incarnation: nodes[node].incarnation, job), after: delay)
    }

    mutating func finish(_ job: DiskJob, by node: Int, incarnation: Int) {
        guard nodes[node].incarnation == incarnation, nodes[node].state != .down else { return }
        if nodes[node].disk.isFull, job.needsRoom { return work(job, by: node) }
        switch job {
        case .checkpoint:
            guard nodes[node].disk.completeCheckpoint() else { return work(job, by: node) }
            statistics.checkpoints += 1
            give(.checkpointed, to: node)
        case .readRows(let read):
            give(.foundRows(nodes[node].disk.checkpoints.read(read), for: read), to: node)
        case .receiveRows: give(.rowsReceived, to: node)
        case .keepOrphans(let origin, let sequence):
            guard nodes[node].disk.isIdle else { return work(job, by: node) }
            if nodes[node].disk.hasDamagedBatch { return endWithDisk(node) }
            give(.keepOrphans(nodes[node].disk.keepOrphans(origin, after: sequence)), to: node)
        case .install(let held):
            guard nodes[node].disk.isIdle else { return work(job, by: node) }
            // The next process sets all aside.
            guard !nodes[node].disk.hasDamagedBatch, nodes[node].disk.mayInstall(keeping: held)
            else { return endWithDisk(node) }
            let installed = nodes[node].disk.install()
            if installed != nil { statistics.installations += 1 }
            recording.note(durable: nodes[node].disk.durable, node: node, at: now)
            give(.installed(installed), to: node)
        }
    }

    /// A node knows that its disk has room.
    mutating func noteRoom(at node: Int) {
        for index in refusals.indices
        where refusals[index].node == node && refusals[index].reason == Refusal.noRoom {
            refusals[index].until = refusals[index].until ?? now
        }
    }

    /// A node that was evicted is back, and takes writes: who wanted it out before it knew, has no effect any
    /// more.
    mutating func noteReturn(of node: Int) {
        guard let replica = nodes[node].replica else { return }
        if replica.isOut, !nodes[node].isOut {
            nodes[node].outSince = now
            reopenEviction(of: node)
        }
        nodes[node].isOut = replica.isOut
        guard replica.counters.returns > nodes[node].returns else { return }
        nodes[node].returns = replica.counters.returns
        statistics.returns += 1
        let outSince = nodes[node].outSince
        for index in refusals.indices
        where refusals[index].node == node && refusals[index].reason == Refusal.evicted
            && refusals[index].since <= outSince
        {
            refusals[index].until = refusals[index].until ?? now
        }
    }

    /// An eviction that was asked for may be decided when the node has come back from another one.
    private mutating func reopenEviction(of node: Int) {
        let last = refusals.lastIndex { $0.node == node && $0.reason == Refusal.evicted }
        if let last { refusals[last].until = nil }
    }

    /// What a node shows after it has taken over a checkpoint, its oracle has to show as well.
    mutating func noteInstallation(by node: Int) {
        guard let replica = nodes[node].replica,
            replica.counters.installed > nodes[node].installations
        else { return }
        nodes[node].installations = replica.counters.installed
        everyTurn[node].restart(on: archive.batches(in: replica.vector), showing: replica.value)
    }
}

extension DiskJob {
    fileprivate var needsRoom: Bool {
        switch self {
        case .checkpoint, .receiveRows, .install, .keepOrphans: true
        case .readRows: false
        }
    }
}

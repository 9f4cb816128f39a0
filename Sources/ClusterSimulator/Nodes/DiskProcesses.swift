import ReplicaCore
import Store

// The data that a disk keeps between the processes of a node.

extension VirtualDisk {
    /// The state that a new process recovers.
    mutating func recover(
        begin: (RecoveredState) -> Replica
    ) throws(MemoryTables.Failure) -> Replica {
        store = DurableStore(store.tables, limits: VirtualDisk.limits)
        hasFailed = false
        replacement = nil
        unreportedStep = .stored
        let replica = try store.recover(begin: begin) { $0.replay($1) }
        store.tables.isLying = trouble == .lying
        compareWithModel()
        if trouble != .full {
            store.rewrite()
            settle()
        }
        durable = store.vector
        return replica
    }

    /// The process ends: a first part of the work under way is still done. Returns how many turns are lost.
    mutating func endProcess() -> Int {
        store.tables.isLying = trouble == .lying
        let group = queue.group
        var kept = 0
        if trouble != .full || group.first?.writes == false {
            switch group.first {
            case .commit:
                kept = draw(upTo: group.count)
                try? commit(group.prefix(kept).compactMap(\.turn))
            case .perform(let request): if random.index(below: 2) == 0 { finishUnseen(request) }
            case .synchronize, .copy, nil: break
            }
        }
        store.tables.fault = nil
        lastStored = 0
        return queue.restart() - kept
    }

    /// Does a request whose outcome no process receives.
    private mutating func finishUnseen(_ request: StoreRequest) {
        if let progress = try? execute(request) { noteReplacement(by: request, progress) }
    }

    /// Records a checkpoint that has replaced all else, until the process acts upon that.
    mutating func noteReplacement(by request: StoreRequest, _ progress: StoreProgress) {
        if case .install(_, keepsLog: false, _) = request,
            case .replied(.installed(.some)) = progress
        {
            replacement = store.vector
        }
    }

    /// How much of the work is still done: often none, often all.
    mutating func draw(upTo count: Int) -> Int {
        switch random.index(below: 3) {
        case 0: 0
        case 1: count
        default: random.index(below: count + 1)
        }
    }
}

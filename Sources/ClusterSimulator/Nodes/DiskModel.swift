import ReplicaCore
import Store
import SyncProtocol

// The comparison of a disk with the model of its store.

extension VirtualDisk {
    /// Records how the store contradicts the model, unless it did before.
    mutating func contradict(_ finding: String?) { contradiction = contradiction ?? finding }

    /// Commits turns; whatever comes of it, their changes may be there.
    mutating func commit(_ turns: [Turn]) throws(MemoryTables.Failure) {
        model.add(.turns(turns))
        try store.commit(turns)
        settleTransaction()
    }

    /// Performs a request or a part of it; if that fails, its changes may be there.
    mutating func execute(_ request: StoreRequest) throws(MemoryTables.Failure) -> StoreProgress {
        model.begin(request)
        if case .writeCheckpoint(let checkpoint) = request {
            replaced = checkpoint.replacesAll ? damages.count : nil
        }
        do throws(MemoryTables.Failure) {
            let progress = try store.execute(request)
            model.complete(request, progress)
            return progress
        } catch {
            model.complete(request, nil)
            throw error
        }
    }

    /// The process learns how far a request has come, and may depend on it.
    mutating func report(_ progress: StoreProgress, of request: StoreRequest) {
        switch (request, progress) {
        case (_, .replied(.checkpointed)):
            settle()
            contradict(takeKeptDamage())
        case (_, .replied(.installed(nil))):
            contradict(receivedRows)
        case (_, .replied(.installed(.some))):
            contradict(receivedRows)
            settle()
            contradict(model.difference(of: store.tables, in: [.batch]))
        case (.keepOrphans, .replied):
            settleTransaction()
            contradict(model.difference(of: store.tables, in: [.orphan]))
        case (.readBatches(let read), .replied(.batches(let batches, _))):
            if !isDamaged { contradict(model.difference(of: batches, for: read)) }
        case (.readRows(let read), .replied(.rows(let chunk, _))):
            if !wasDamaged { contradict(difference(of: chunk, for: read)) }
        case (.truncate, _):
            settleTransaction()
            if case .done = progress, !queue.jobs.contains(where: \.truncates) {
                contradict(model.endOfTruncation())
            }
        default: break
        }
    }

    /// The remaining rows of a transfer.
    private var receivedRows: String? {
        let count = store.tables.allRows(in: .received).count
        return count == 0 ? nil : "a transfer has left \(count) rows"
    }

    /// How rows that a peer is given are not the next ones of one complete checkpoint.
    private func difference(of chunk: CheckpointChunk, for read: RowRead) -> String? {
        guard let head = try? CheckpointHead(chunk.head) else { return nil }
        let continues = read.checkpoint == head.lastRow
        guard chunk.after == (continues ? read.after : 0) else {
            return "a transfer goes on in another checkpoint"
        }
        let rest = store.tables.allRows(in: .row).filter {
            chunk.after < $0.number && $0.number <= head.lastRow
        }
        guard chunk.rows.map(\.id) == rest.prefix(chunk.rows.count).map(\.number),
            chunk.isLast == (chunk.rows.count == rest.count)
        else { return "a peer is given other rows than those of the checkpoint" }
        return nil
    }

    /// All that was done so far is reported as durable.
    mutating func settle() {
        if trouble != .lying, !hasFailed { model.settle() }
    }

    /// An ordinary transaction is reported, and durable unless it waits for the next sync.
    private mutating func settleTransaction() {
        if durability != .interval { settle() }
    }

    /// Compares what a new process has found with what was reported before.
    mutating func compareWithModel() {
        if isDamaged || model.isVague {
            // A disk that lies may lose any of its data at the next power failure.
            let isVague = isDamaged && lyingSince != nil
            model = StoreModel(of: store.tables, isVague: isVague)
        } else {
            contradict(model.recover(store.tables))
        }
        contradict(model.gap)
        let byteCount = store.tables.allRows(in: .batch).reduce(0) { $0 + $1.bytes.count }
        if !isDamaged, store.logByteCount != byteCount {
            contradict("the log has \(byteCount) bytes, and the store counts \(store.logByteCount)")
        }
    }
}

extension DiskQueue.Job {
    fileprivate var truncates: Bool {
        if case .perform(.truncate) = self { true } else { false }
    }
}

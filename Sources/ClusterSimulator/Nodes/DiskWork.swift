import ReplicaCore
import Store
import SyncProtocol

// The results of a disk's jobs.

extension VirtualDisk {
    /// Ends the jobs in progress; `begin` has to follow.
    mutating func finish(at now: Microseconds) -> Outcome {
        let writes = queue.jobs.first?.writes == true && durability != .memory
        store.tables.isLying = trouble == .lying
        if trouble == .full, writes {
            store.tables.fault = .hasNoRoom
            return .noRoom(again: now + VirtualDisk.retry)
        }
        if trouble == .failing, writes {
            trouble = nil
            store.tables.fault = .fails
        }
        do throws(MemoryTables.Failure) {
            step = nil
            let outcome = try work(at: queue.finish())
            if trouble != .lying, store.tables.unsyncedCount == 0 { lyingSince = nil }
            return outcome
        } catch {
            hasFailed = true
            workAfterFailure()
            return .failed(error)
        }
    }

    /// The storage thread goes on until the process ends; the store refuses all that writes.
    private mutating func workAfterFailure() {
        for job in queue.removeJobs() { _ = try? work(at: [job]) }
        if (try? store.synchronize()) != nil { contradict("the store writes after a failure") }
    }

    private mutating func work(at group: [DiskQueue.Job]) throws(MemoryTables.Failure) -> Outcome {
        switch group[0] {
        case .commit(_, let since):
            let turns = group.compactMap(\.turn)
            try commit(turns)
            noteStep(of: turns)
            let batches = turns.flatMap(\.batches)
            if !batches.isEmpty { newest = (batches, since) }
            if durability == .interval { return .done(stored: nil, nil) }
            return stored(turns.last?.number)
        case .synchronize(let turn):
            try store.synchronize()
            settle()
            return stored(turn)
        case .perform(let request): return try work(on: request)
        case .copy(let copy):
            copies.write(copy, hasRoom: trouble != .full)
            return .done(stored: nil, nil)
        }
    }

    private mutating func noteStep(of turns: [Turn]) {
        let step = DiskStep(turns)
        if step != .stored { unreportedStep = step }
    }

    private mutating func stored(_ turn: UInt64?) -> Outcome {
        lastStored = turn ?? lastStored
        step = unreportedStep
        unreportedStep = .stored
        durable = store.vector
        return .done(stored: turn, nil)
    }

    private mutating func work(
        on request: StoreRequest
    ) throws(MemoryTables.Failure) -> Outcome {
        if trouble == .unreadable, case .readBatches(let read) = request {
            return .done(stored: nil, .batches([], for: read))
        }
        let progress = try execute(request)
        report(progress, of: request)
        noteReplacement(by: request, progress)
        step = DiskStep(request, progress)
        switch progress {
        case .done: return .done(stored: nil, nil)
        case .unfinished(let rest):
            queue.append(.perform(rest))
            return .done(stored: nil, nil)
        case .replied(let reply):
            if case .installed(.some) = reply { durable = store.vector }
            return .done(stored: nil, reply)
        }
    }
}

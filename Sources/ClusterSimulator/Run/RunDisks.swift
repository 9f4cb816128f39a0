import ReplicaCore
import Store

// The work of disks, and its reports to nodes.

extension SimulatedRun {
    /// Begins what the disk of a node has to do next, if anything.
    mutating func scheduleDisk(of node: Int, at time: Microseconds?) {
        guard let time else { return }
        queue.schedule(
            .diskWorked(node: node, incarnation: nodes[node].incarnation), at: time)
    }

    mutating func finishDiskWork(_ node: Int, incarnation: Int) {
        guard nodes[node].incarnation == incarnation, nodes[node].state != .down else { return }
        let outcome = nodes[node].disk.finish(at: now)
        noteContradiction(of: node)
        switch outcome {
        case .noRoom(let again): noteNoRoom(at: node, again: again)
        case .failed(let failure): endWithDisk(node, after: failure)
        case .done(let turn, let reply):
            noteRoomAgain(at: node)
            record.recording.record(durable: nodes[node].disk.durable, node: node, at: now)
            scheduleDisk(of: node, at: nodes[node].disk.begin(at: now))
            if let reply { give(reply, to: node) }
            if let result = nodes[node].disk.copies.takeResult() { give(result, to: node) }
            if let turn { execute(nodes[node].stored(turn: turn, at: now), of: node) }
            if nodes[node].state == .stopping, nodes[node].disk.isIdle { endProcess(node) }
            interruptAtStep(node)
        }
    }

    private mutating func give(_ reply: StoreReply, to node: Int) {
        switch reply {
        case .checkpointed: record.statistics.checkpoints += 1
        case .installed(.some): record.statistics.installations += 1
        case .installed(nil): noteSpoiltTransfer(to: node)
        default: break
        }
        give(.storeReplied(reply), to: node)
    }

    /// Ends a process whose disk has failed; if the disk works, the failure is a bug.
    private mutating func endWithDisk(_ node: Int, after failure: MemoryTables.Failure) {
        if failure == .notWritten {
            // The loss is recorded only once.
            record.statistics.failedSyncs += 1
        } else if !nodes[node].disk.isDamaged {
            quiescence.fail("\(nodes[node].name) ended for a reason of its own: \(failure)")
        }
        endWithDisk(node)
    }

    private mutating func noteNoRoom(at node: Int, again: Microseconds) {
        scheduleDisk(of: node, at: again)
        guard !nodes[node].waitsForRoom else { return }
        nodes[node].waitsForRoom = true
        record.refusals.append(Refusal(node: node, reason: Refusal.noRoom, since: now))
        give(.storageFailed(problem: Refusal.noRoom, fix: "free some space"), to: node)
    }

    private mutating func noteRoomAgain(at node: Int) {
        guard nodes[node].waitsForRoom else { return }
        nodes[node].waitsForRoom = false
        give(.storageWorks, to: node)
    }

    /// Tells a node that its disk has room again.
    mutating func noteRoom(at node: Int) {
        for index in record.refusals.indices
        where record.refusals[index].node == node && record.refusals[index].reason == Refusal.noRoom
        {
            record.refusals[index].until = record.refusals[index].until ?? now
        }
    }

    /// A node on an old disk may refuse writes from now on, until it has met enough others.
    mutating func noteOldDisk(of node: Int) {
        record.refusals.append(Refusal(node: node, reason: Refusal.oldDisk, since: now))
    }

    /// Records that a node has recovered what its last disks have lost.
    mutating func noteRecovery(of node: Int, _ standing: Replica.Standing) {
        guard standing.hasRecovered else { return }
        for index in record.losses.indices
        where record.losses[index].node == node && record.losses[index].kind == .known {
            record.losses[index].recovered = record.losses[index].recovered ?? now
        }
    }

    /// An evicted node has rejoined and takes writes: evictions requested before it learnt that it was
    /// evicted no longer justify a refusal.
    mutating func noteReturn(of node: Int, _ standing: Replica.Standing) {
        if nodes[node].namedWriter != standing.writer {
            nodes[node].namedWriter = standing.writer
            record.names.add(standing.writer, node: node)
        }
        if standing.isOut, !nodes[node].isOut {
            nodes[node].outSince = now
            reopenEviction(of: node)
        }
        nodes[node].isOut = standing.isOut
        guard standing.returns > nodes[node].returns else { return }
        nodes[node].returns = standing.returns
        record.statistics.returns += 1
        notePostponedEnds(at: node, standing)
        judgeReturn(of: node)
        let outSince = nodes[node].outSince
        for index in record.refusals.indices
        where record.refusals[index].node == node
            && record.refusals[index].reason == Refusal.evicted
            && record.refusals[index].since <= outSince
        {
            record.refusals[index].until = record.refusals[index].until ?? now
        }
    }

    /// An evicted node takes writes again only once most members wait for it: what is stable without it ends before that.
    private mutating func judgeReturn(of node: Int) {
        guard let replica = nodes[node].replica, !scenario.changesMembers else { return }
        let name = nodes[node].name
        let returned = Set(
            replica.evictions.filter { $0.member == name && $0.stage == .back }.map(\.subject))
        let unaware = nodes.indices.filter { other in
            // Members that are down are left out.
            guard other != node, let replica = nodes[other].replica, !nodes[other].isOut else {
                return false
            }
            let known = replica.evictions.filter { $0.member == name && $0.stage >= .back }
            return !returned.isSubset(of: known.map(\.subject))
        }
        guard 2 * (nodes.count - unaware.count) <= nodes.count else { return }
        let names = unaware.map { nodes[$0].name }.joined(separator: ", ")
        record.history.earlyReturns.append(
            "\(name) took writes again at \(now.description), though \(names) did not wait for it yet"
        )
    }

    /// A requested eviction may be decided after the node has rejoined from an earlier one.
    private mutating func reopenEviction(of node: Int) {
        let last = record.refusals.lastIndex { $0.node == node && $0.reason == Refusal.evicted }
        if let last { record.refusals[last].until = nil }
    }

    /// Reports a checkpoint that a node has installed.
    mutating func noteInstallation(by node: Int) {
        guard let standing = nodes[node].standing,
            standing.installed > nodes[node].installations
        else { return }
        nodes[node].installations = standing.installed
        observe { watch, run in watch.replacedData(of: node, in: &run) }
    }
}

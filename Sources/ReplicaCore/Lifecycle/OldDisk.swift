import Marks
import SyncProtocol

// How replicas learn whose disk is older than what peers have seen of it. Source: `membership.md`, "Old disks".

extension Replica {
    /// Sends this replica's statement about its disk to each peer that has not answered it.
    ///
    /// - Parameters:
    ///   - isRepeated: Whether to send it to those that do not count its heartbeats, too: a late statement of an earlier
    ///     incarnation may have replaced it there.
    ///   - member: The only peer to which it goes; nil for all.
    mutating func stateDisk(isRepeated: Bool = false, to member: String? = nil) {
        let statement = DiskStatement(
            member: configuration.member, writer: writer, floor: replication.floor,
            isWhole: lifecycle.hasWholeDisk)
        for peer in replication.peers.all where member.map({ $0 == peer.member }) ?? true {
            guard
                peer.disk.awaits(statement, current: peer.heartbeat?.writer)
                    || isRepeated && peer.disk.isStated
                        && peer.heartbeat?.writers.contains(writer) == false
            else { continue }
            replication.turn.immediate.append(
                .ask(peer.member, PeerMessage.disk(statement).frame))
        }
    }

    /// Answers a peer's statement with the memory of its earlier incarnations. Its heartbeat that waited for it counts.
    mutating func receive(_ statement: DiskStatement, from member: String) {
        guard statement.member == member else {
            replication.counters.malformedFrames += 1
            return
        }
        let known = replication.peers.changeDisk(of: member) { disk in
            let isNew = disk.statement?.writer != statement.writer
            return (disk.record(statement), disk.predecessor(of: statement), disk.hasServed, isNew)
        }
        guard let (heartbeat, predecessor, hasServed, isNew) = known else { return }
        // An emptied disk counts as a new one where no peer remembers that it has served.
        if statement.isWhole { replication.peers.storeMemories() }
        let memory = DiskMemory(
            member: configuration.member, writer: writer, answering: statement,
            predecessor: predecessor?.writer,
            sequence: predecessor.map { vector[$0.writer] } ?? 0,
            closed: predecessor?.closed ?? .zero,
            stable: predecessor == nil || replication.peers.hasEvicted(member)
                ? .zero : replication.stableTime,
            hasServed: hasServed, isWhole: lifecycle.hasWholeDisk)
        replication.turn.immediate.append(.answer(member, PeerMessage.remembered(memory).frame))
        if let heartbeat { receive(heartbeat) }
        // The peer may be an incarnation whose heartbeats do not count, and which waits for this. Once: it answers alike.
        if isNew { stateDisk(to: member) }
    }

    /// Compares a peer's memory of this member with this incarnation.
    ///
    /// If the peer has received a closed timestamp that the disk did not know, the disk was old when this incarnation
    /// began. Its operations stay if all are above what peers remember; otherwise the incarnation ends.
    mutating func receive(_ memory: DiskMemory, from member: String) {
        guard memory.member == member, memory.addressee == writer,
            replication.clock.reaches(memory.bound, at: now),
            replication.peers.changeDisk(of: member, { $0.record(memory) }) != nil
        else {
            replication.counters.unknownPeers += 1
            return
        }
        let isEvicted = memory.predecessor.map { replication.peers.evictions.hasEnded($0) } ?? false
        if replication.incarnations.isOlder(
            than: memory, floor: replication.floor, isEvicted: isEvicted)
        {
            discoverOldDisk()
        }
        guard memory.bound > replication.floor else { return }
        guard replication.raiseFloor(to: memory.bound) else { return endIncarnationAlone() }
        stateDisk()
    }

    /// Learns that this incarnation began on an old disk: votes, evictions and data may be forgotten.
    private mutating func discoverOldDisk() {
        guard lifecycle.hasWholeDisk, !lossIsAccepted else { return }
        lifecycle.becomeOld()
        if !lifecycle.hasWholeDisk { coordination.forgetVotes() }
    }

    /// Learns that another database of the same folder was old.
    package mutating func distrustDisk() { discoverOldDisk() }

    /// Ends this incarnation as an eviction would, because peers cannot accept all that it holds: the data of a member
    /// with its whole disk replace the own, and what only this replica holds becomes orphaned.
    mutating func endIncarnationAlone() {
        lifecycle.endAlone(Eviction(member: configuration.member, writer: writer, stage: .out))
    }

    /// Continues to recover from an old disk, of a replica that has served already.
    mutating func advanceRecovery() {
        switch lifecycle.advanceRecovery(startupSituation) {
        case .waiting: return
        case .mustRejoin: endIncarnationAlone()
        case .ready:
            replication.incarnations.recover(holding: vector, above: replication.floor)
            if vector[writer] > 0 { sometimes(.operationsOnOldDiskStay) }
            for left in lifecycle.completeRecovery() { write(left) }
        }
    }

    /// Whether no other process continues the log of this incarnation. If a peer holds more of it, the memory of this
    /// process is old, as after the return of a virtual machine to an earlier state: it ends. The heartbeats of one member must
    /// say so for a second, since a damaged frame, or an unknown process, may say anything once.
    mutating func isOwnLogComplete(after heartbeat: Heartbeat) -> Bool {
        guard heartbeat.cluster == configuration.cluster,
            heartbeat.vector[writer] > vector[writer]
        else {
            replication.incarnations.withdrawClaim(of: heartbeat.member)
            return true
        }
        let isCertain = replication.incarnations.claim(
            by: heartbeat.member, at: now.elapsedMilliseconds)
        guard isCertain else { return false }
        let member = configuration.member
        replication.turn.immediate.append(
            .giveUp(
                problem: "\(heartbeat.member) holds more operations of this process than \(member) "
                    + "has made: its memory is that of an earlier moment",
                fix: "start \(member) again; if another process runs as \(member), stop it first"))
        return false
    }
}

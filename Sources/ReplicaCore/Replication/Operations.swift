import DataTree
import SyncProtocol

// How operations come to be, and how they come in: the only two ways into the tree.

extension Replica {
    /// Makes an operation of checked writes, applies it, and leaves it to this turn's batch.
    ///
    /// - Parameters:
    ///   - stamp: That of the client, if it brought one.
    ///   - again: That of the lost operation that this one is done in place of, or the name of the
    ///     transaction.
    ///   - term: In which the transaction was decided.
    mutating func accept(
        _ writes: [Write], stamp: Stamp? = nil, alias: Stamp? = nil, term: UInt64? = nil
    ) {
        let operation = Operation(
            stamp: stamp ?? nextStamp(), writes: writes, alias: alias, term: term)
        observe(operation, of: writer)
        batch.append(operation)
        vector[writer] += 1
        counters.accepted += 1
        apply(operation)
        if batch.byteCount > 1 << 20 { closeBatch() }
    }

    private mutating func nextStamp() -> Stamp {
        Stamp(time: clock.next(wallMilliseconds: now.wallMilliseconds), writer: writer)
    }

    /// Learns from the stamps of an operation.
    mutating func observe(_ operation: Operation, of origin: WriterID) {
        let stamp = operation.stamp
        clock.observe(stamp.time)
        if stamp.writer != origin { deduplicationTable.insert(stamp) }
        if let alias = operation.alias { deduplicationTable.insert(alias) }
        if operation.term != nil {
            let isLate = origin != writer && coordination.election.isCaughtUp
            coordination.terms.note(operation, isLate: isLate)
        }
    }

    mutating func apply(_ operation: Operation) {
        turn.applied += 1
        tell(tree.apply(operation))
    }

    /// Tells listeners what changed.
    mutating func tell(_ changes: [Change]) {
        for notice in listens.notices(of: changes, in: tree.value) {
            outbox.append(notice, slow: &slowClients)
        }
    }

    /// Ends this turn's batch: its bytes go to disk, to all peers, and to any who miss it later.
    mutating func closeBatch() {
        if batch.isEmpty { return }
        let last = vector[writer]
        let first = last - UInt64(batch.count) + 1
        // The batch before this one is applied before it everywhere, and what that one rests on.
        var dependencies = vector.advanced(beyond: batched)
        dependencies[writer] = 0
        batched = vector
        let bytes = batch.finish(
            first: first, wallMilliseconds: now.wallMilliseconds, dependencies: dependencies)
        turn.entries.append(LogEntry(origin: writer, first: first, last: last, bytes: bytes))
        if isInstalling { transfer?.meanwhile.append(bytes) }
        turn.published.append(.publish(PeerMessage.batch(bytes).frame))
    }

    /// Takes a batch from a peer: applies it, or holds it back until it is its turn.
    mutating func receive(batch bytes: [UInt8], repaired: Bool) {
        let batch: Batch
        do throws(FrameError) {
            batch = try BatchCoding.decode(bytes)
        } catch {
            counters.malformedFrames += 1
            return
        }
        let count = UInt64(batch.operations.count)
        if batch.last <= vector[batch.origin] {
            counters.duplicates += count
            return
        }
        guard isCredible(batch) else {
            counters.unknownPeers += count
            return
        }
        guard startup.mayTake, mayTake(batch), !isInstalling, storageFailure == nil else {
            counters.dropped += count
            return
        }
        if repaired { counters.repaired += count }
        if batch.first == vector[batch.origin] + 1, vector.covers(batch.dependencies) {
            take(batch, bytes)
        } else if !mayWait(batch) || !reorderBuffer.insert(batch, bytes) {
            counters.dropped += count
        }
        while let next = reorderBuffer.next(after: vector) { take(next.batch, next.bytes) }
    }

    /// Whether a batch that cannot be applied yet waits for little enough.
    private func mayWait(_ batch: Batch) -> Bool {
        let missing = batch.dependencies.advanced(beyond: vector)
        return missing.entries.count <= ReorderBuffer.dependencyLimit
    }

    /// Whether a batch may be what an honest member made: nobody else goes on where this node's own
    /// log ends.
    private func isCredible(_ batch: Batch) -> Bool {
        batch.origin != writer
            && batch.operations.allSatisfy { clock.reaches($0.stamp.time, at: now) }
    }

    /// Whether a batch comes from a current writer, or belongs to what is left of a closed one.
    func mayTake(_ batch: Batch) -> Bool {
        peers.mayTake(batch.origin, through: batch.last)
    }

    /// Drops what waits and may not be taken any more.
    mutating func dropClosed() {
        let peers = peers
        reorderBuffer.removeAll { !peers.mayTake($0.origin, through: $0.last) }
    }

    mutating func take(_ batch: Batch, _ bytes: [UInt8]) {
        for operation in batch.operations {
            observe(operation, of: batch.origin)
            apply(operation)
        }
        vector[batch.origin] = batch.last
        counters.received += UInt64(batch.operations.count)
        turn.entries.append(
            LogEntry(origin: batch.origin, first: batch.first, last: batch.last, bytes: bytes))
    }
}

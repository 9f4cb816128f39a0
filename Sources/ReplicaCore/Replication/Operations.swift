import DataTree
import Marks
import Store
import SyncProtocol

// The two ways into the tree: operations that this replica makes, and those that arrive in batches.

/// A batch whose operations are being applied.
struct ArrivingBatch: Sendable {
    let batch: Batch
    let bytes: [UInt8]
    /// The index of the next operation to apply.
    var next = 0
}

/// An operation that the tree has just applied, and what it changed.
struct AppliedOperation {
    let operation: Operation
    let origin: WriterID
    let changes: [Change]
    /// The registration of the on-disconnect writes that it does; nil if it does none.
    var registration: Stamp?
    /// Whether it sets the rules of the cluster, and so changes nothing in the tree.
    var setsRules = false
}

extension Replication {
    /// Makes an operation of checked writes, applies it, and adds it to this turn's batch.
    ///
    /// - Parameters:
    ///   - stamp: The client's, if it gave one.
    ///   - alias: The stamp of the orphaned operation that this one replays, or the name of the transaction.
    ///   - term: The term in which the transaction was decided.
    ///   - attribution: The user or administrator that made the request.
    ///   - records: The on-disconnect writes of sessions that it registers, or takes back.
    mutating func accept(
        _ writes: [Write], stamp: Stamp? = nil, alias: Stamp? = nil, term: UInt64? = nil,
        for attribution: Attribution? = nil, recording records: [DisconnectRecord] = []
    ) -> AppliedOperation {
        let operation = Operation(
            stamp: stamp ?? nextStamp(), writes: writes, alias: alias, term: term,
            attribution: attribution, records: records)
        observe(operation, of: writer)
        recordOwn(operation.stamp.time)
        ownBatch.append(operation)
        vector[writer] += 1
        counters.accepted += 1
        let applied = apply(operation, of: writer)
        if ownBatch.isFull { closeBatch() }
        return applied
    }

    /// A stamp that no operation has.
    mutating func nextStamp() -> Stamp {
        Stamp(time: clock.next(wallMilliseconds: now.wallMilliseconds), writer: writer)
    }

    /// Learns from the stamps of an operation.
    mutating func observe(_ operation: Operation, of origin: WriterID) {
        let stamp = operation.stamp
        clock.observe(stamp.time)
        lastAppliedTime = max(lastAppliedTime, stamp.time)
        if stamp.writer != origin { deduplicationTable.insert(stamp) }
        if let alias = operation.alias { deduplicationTable.insert(alias) }
        if !disconnectRecords.isEmpty { disconnectRecords.observe(stamp.time, of: origin) }
    }

    /// Learns of the on-disconnect writes of sessions.
    ///
    /// - Returns: The last registration of those that the operation does; nil if it does none.
    @discardableResult
    mutating func record(_ operation: Operation) -> Stamp? {
        operation.records.reduce(nil) { last, record in
            disconnectRecords.apply(record, at: operation.stamp) ?? last
        }
    }

    private mutating func apply(_ operation: Operation, of origin: WriterID) -> AppliedOperation {
        turn.applied += 1
        let registration = record(operation)
        if let record = RulesRecord(operation) {
            learn(record, of: origin, through: arriving?.batch.last ?? vector[origin])
            return AppliedOperation(
                operation: operation, origin: origin, changes: [], setsRules: true)
        }
        if operation.writes.count > configuration.limits.writesAtOnce {
            sometimes(.operationIsAppliedInParts)
            var before = vector
            if origin == writer { before[writer] -= 1 }
            largeOperations.append(operation, after: before)
            return AppliedOperation(
                operation: operation, origin: origin, changes: [], registration: registration)
        }
        turn.appliedWrites += operation.writes.count
        let overwritten = tree.overwrittenWrites
        let changes = tree.apply(operation)
        counters.overwritten += tree.overwrittenWrites - overwritten
        if !largeOperations.isEmpty { largeOperations.applyToCopy(operation) }
        return AppliedOperation(
            operation: operation, origin: origin, changes: changes, registration: registration)
    }

    /// Applies the next writes of an operation of many writes.
    ///
    /// - Returns: The changes and the answer to its client, once the tree shows the operation.
    mutating func advanceLargeOperations(
        limit: Int
    ) -> (changes: [Change], confirmation: LargeOperations.Confirmation?)? {
        let overwritten = tree.overwrittenWrites
        defer { counters.overwritten += tree.overwrittenWrites - overwritten }
        turn.appliedWrites += largeOperations.nextCount(limit: limit)
        return largeOperations.advance(&tree, limit: limit)
    }

    /// Collects the large parts that an operation has taken out of the tree, until the end of the turn.
    ///
    /// - Parameter changes: The changes by the last operation.
    mutating func collectDropped(by changes: [Change]) {
        let dropped = tree.takeDropped(changes)
        if !dropped.isEmpty { turn.dropped.append(dropped) }
    }

    /// Closes the batch of this replica's operations: its bytes go to disk, to all peers, and later to any peer
    /// that misses it.
    mutating func closeBatch() {
        guard let entry = ownBatch.close(holding: vector, wallMilliseconds: now.wallMilliseconds)
        else { return }
        turn.entries.append(entry)
        turn.published.append(.publish(PeerMessage.batch(entry.bytes).frame, .gathered))
    }
}

// MARK: - Batches of peers

extension Replication {
    /// Receives a batch of a peer: `applyNext` applies it, now or once its dependencies are held.
    ///
    /// - Parameter isReceiving: Whether operations of peers are accepted now.
    mutating func receive(batch bytes: [UInt8], repaired: Bool, isReceiving: Bool) {
        guard let batch = try? BatchCoding.decode(bytes) else {
            counters.malformedFrames += 1
            return
        }
        let count = UInt64(batch.operations.count)
        if batch.last <= vector[batch.origin] {
            sometimes(.batchArrivesAgain)
            counters.duplicates += count
            return
        }
        guard isCredible(batch) else {
            counters.unknownPeers += count
            return
        }
        guard isReceiving, peers.mayTake(batch.origin, through: batch.last) else {
            sometimes(.batchIsDropped)
            counters.dropped += count
            return
        }
        if repaired { counters.repaired += count }
        if batch.first == vector[batch.origin] + 1, vector.covers(batch.dependencies) {
            arriving = ArrivingBatch(batch: batch, bytes: bytes)
        } else {
            counters.dropped +=
                mayWait(batch) ? reorderBuffer.insert(batch, bytes, after: vector) : count
        }
    }

    /// Whether a batch that cannot be applied yet has few enough missing dependencies to wait.
    private func mayWait(_ batch: Batch) -> Bool {
        let missing = batch.dependencies.advanced(beyond: vector)
        return missing.entries.count <= configuration.limits.missingDependencies
    }

    /// Whether a correct member can have made a batch: no other node continues this node's own log, and no stamp
    /// is a century ahead.
    private func isCredible(_ batch: Batch) -> Bool {
        batch.origin != writer
            && batch.operations.allSatisfy { clock.reaches($0.stamp.time, at: now) }
    }

    /// Drops waiting batches of closed writers beyond what some member holds.
    mutating func dropClosed() {
        if reorderBuffer.originCount == 0 { return }
        let peers = peers
        reorderBuffer.removeAll { !peers.mayTake($0.origin, through: $0.last) }
    }

    /// Applies the next operation of the batch that has arrived, or of those that waited for it; returns nil if
    /// none can be applied. Listeners are notified of each operation before the next one is applied.
    mutating func applyNext() -> AppliedOperation? {
        if arriving == nil {
            guard let next = reorderBuffer.next(after: vector) else { return nil }
            arriving = ArrivingBatch(batch: next.batch, bytes: next.bytes)
        }
        guard let current = arriving else { return nil }
        let (batch, operation) = (current.batch, current.batch.operations[current.next])
        observe(operation, of: batch.origin)
        let applied = apply(operation, of: batch.origin)
        arriving?.next += 1
        if current.next + 1 == batch.operations.count { finish(current) }
        return applied
    }

    /// Stores a batch whose operations are all applied.
    private mutating func finish(_ arrived: ArrivingBatch) {
        let batch = arrived.batch
        arriving = nil
        vector[batch.origin] = batch.last
        counters.received += UInt64(batch.operations.count)
        turn.entries.append(
            LogEntry(
                origin: batch.origin, first: batch.first, last: batch.last, bytes: arrived.bytes))
    }
}

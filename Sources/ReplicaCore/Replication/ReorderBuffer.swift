import Marks
import SyncProtocol

/// Batches that arrived before their dependencies: kept in order, within bounds.
struct ReorderBuffer: Sendable {
    struct Waiting: Sendable {
        var batch: Batch
        var bytes: [UInt8]
    }

    private let limits: ReplicaLimits
    /// By origin, each ascending by sequence.
    private var queues: [(origin: WriterID, batches: [Waiting])] = []
    private(set) var byteCount = 0
    /// Batches held back.
    private(set) var count = 0
    /// Batches that have found room since the start.
    private(set) var admitted = 0

    init(within limits: ReplicaLimits) { self.limits = limits }

    /// The number of origins with batches that wait for a gap to close.
    var originCount: Int { queues.count }

    /// Adds a batch, unless it is present, at a replica with this `vector`.
    ///
    /// A full buffer drops batches with a large gap before them. Such batches were published while this replica
    /// caught up, and would keep out the next ones to apply.
    /// - Returns: The number of operations without room, of this batch or of others; repair fetches them again.
    mutating func insert(
        _ batch: Batch, _ bytes: [UInt8], after vector: VersionVector
    ) -> UInt64 {
        if contains(batch) { return 0 }
        let dropped = makeRoom(for: batch, bytes.count, after: vector)
        guard hasRoom(for: bytes.count), let queue = queue(of: batch.origin) else {
            return dropped + UInt64(batch.operations.count)
        }
        let before = queues[queue].batches.lastIndex { $0.batch.first < batch.first }
        queues[queue].batches.insert(
            Waiting(batch: batch, bytes: bytes), at: before.map { $0 + 1 } ?? 0)
        sometimes(.batchWaits)
        byteCount += bytes.count
        count += 1
        admitted += 1
        return dropped
    }

    // Sought from the end, since most batches come in order.
    private func contains(_ batch: Batch) -> Bool {
        let queue = queues.first { $0.origin == batch.origin }
        return queue?.batches.last { $0.batch.first <= batch.first }?.batch.first == batch.first
    }

    private func hasRoom(for bytes: Int) -> Bool {
        count < limits.waitingBatches && byteCount + bytes <= limits.waitingBatchBytes
    }

    /// The queue of an origin, which may be a new one; nil if there are too many.
    private mutating func queue(of origin: WriterID) -> Int? {
        let place = queues.firstIndex { $0.origin >= origin } ?? queues.count
        if place < queues.count, queues[place].origin == origin { return place }
        guard queues.count < limits.waitingOrigins else { return nil }
        queues.insert((origin, []), at: place)
        return place
    }

    /// Drops the batches that are farthest from being applied until there is room; returns the number of their
    /// operations.
    private mutating func makeRoom(
        for batch: Batch, _ bytes: Int, after vector: VersionVector
    ) -> UInt64 {
        if bytes > limits.waitingBatchBytes { return 0 }
        var dropped: UInt64 = 0
        while !hasRoom(for: bytes) {
            let farthest = queues.indices.max { distance($0, vector) < distance($1, vector) }
            guard let farthest, distance(farthest, vector) > batch.distance(from: vector) else {
                break
            }
            sometimes(.waitingBatchGivesWay)
            dropped += UInt64(queues[farthest].batches.last?.batch.operations.count ?? 0)
            removeLast(from: farthest)
        }
        return dropped
    }

    /// How far the last batch of a queue is from being applied.
    private func distance(_ queue: Int, _ vector: VersionVector) -> UInt64 {
        queues[queue].batches.last?.batch.distance(from: vector) ?? 0
    }

    /// Removes and returns a batch that can be applied to a replica with this `vector`, if there is
    /// one.
    mutating func next(after vector: VersionVector) -> Waiting? {
        for index in queues.indices { dropHeld(by: vector, from: index) }
        queues.removeAll { $0.batches.isEmpty }
        for index in queues.indices {
            guard let first = queues[index].batches.first,
                first.batch.first == vector[first.batch.origin] + 1,
                vector.covers(first.batch.dependencies)
            else { continue }
            removeFirst(from: index)
            return first
        }
        return nil
    }

    /// Drops the batches that can no longer be accepted.
    mutating func removeAll(where mayGo: (Batch) -> Bool) {
        for index in queues.indices {
            let kept = queues[index].batches.filter { !mayGo($0.batch) }
            for gone in queues[index].batches where mayGo(gone.batch) {
                byteCount -= gone.bytes.count
            }
            count -= queues[index].batches.count - kept.count
            queues[index].batches = kept
        }
        queues.removeAll { $0.batches.isEmpty }
    }

    /// The operations to hold before the waiting batches can be applied: the ends of the gaps before them, and
    /// their dependencies.
    func needs(beyond vector: VersionVector) -> VersionVector {
        var needs = VersionVector()
        for (origin, batches) in queues {
            guard let first = batches.first?.batch else { continue }
            needs[origin] = max(needs[origin], first.first - 1)
            for (origin, sequence) in first.dependencies.entries {
                needs[origin] = max(needs[origin], sequence)
            }
        }
        return needs
    }

    /// The last sequence before the first waiting batch of an origin, or nil if none waits.
    func gapEnd(of origin: WriterID) -> UInt64? {
        queues.first { $0.origin == origin }?.batches.first.map { $0.batch.first - 1 }
    }

    /// Also drops batches held in part: whole batches are applied, so such a batch contradicts an
    /// applied one, and would block later ones.
    private mutating func dropHeld(by vector: VersionVector, from index: Int) {
        let held = vector[queues[index].origin]
        while let first = queues[index].batches.first, first.batch.first <= held {
            sometimes(.waitingBatchIsHeldAlready)
            removeFirst(from: index)
        }
    }

    private mutating func removeFirst(from index: Int) {
        let first = queues[index].batches.removeFirst()
        byteCount -= first.bytes.count
        count -= 1
    }

    /// Leaves no queue without batches.
    private mutating func removeLast(from index: Int) {
        let last = queues[index].batches.removeLast()
        byteCount -= last.bytes.count
        count -= 1
        if queues[index].batches.isEmpty { queues.remove(at: index) }
    }
}

extension Batch {
    /// How many operations of its origin come before it that a replica with this `vector` does not hold.
    fileprivate func distance(from vector: VersionVector) -> UInt64 {
        let held = vector[origin]
        return first - 1 > held ? first - 1 - held : 0
    }
}

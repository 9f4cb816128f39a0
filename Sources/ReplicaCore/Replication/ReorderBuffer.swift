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

    init(within limits: ReplicaLimits) { self.limits = limits }

    /// The number of origins with batches that wait for a gap to close.
    var originCount: Int { queues.count }

    /// Adds a batch, unless it is there already; returns false if there was no room.
    mutating func insert(_ batch: Batch, _ bytes: [UInt8]) -> Bool {
        guard count < limits.waitingBatches, byteCount + bytes.count <= limits.waitingBatchBytes
        else { return false }
        let queue = queues.firstIndex { $0.origin >= batch.origin } ?? queues.count
        if queue == queues.count || queues[queue].origin != batch.origin {
            guard queues.count < limits.waitingOrigins else { return false }
            queues.insert((batch.origin, []), at: queue)
        }
        let place =
            queues[queue].batches.firstIndex { $0.batch.first >= batch.first }
            ?? queues[queue].batches.count
        if place < queues[queue].batches.count,
            queues[queue].batches[place].batch.first == batch.first
        {
            return true
        }
        queues[queue].batches.insert(Waiting(batch: batch, bytes: bytes), at: place)
        sometimes(.batchWaits)
        byteCount += bytes.count
        count += 1
        return true
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

    /// What must be held to apply the waiting batches: the ends of the gaps before them, and their
    /// dependencies.
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
}

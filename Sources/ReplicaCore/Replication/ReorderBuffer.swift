import SyncProtocol

/// Batches that came before what they follow or depend on: held back, in order, within a bound.
struct ReorderBuffer: Sendable {
    /// Beyond this many bytes new batches are dropped; repair brings them again.
    static let byteLimit = 64 << 20
    static let countLimit = 10_000
    /// Finding what is next takes a look at each origin, of which a liar may name many.
    static let originLimit = 100
    /// A batch that rests on more origins than this, of which not enough is held, does not wait.
    static let dependencyLimit = 100

    struct Waiting: Sendable {
        var batch: Batch
        var bytes: [UInt8]
    }

    /// By origin, each ascending by sequence.
    private var queues: [(origin: WriterID, batches: [Waiting])] = []
    private(set) var byteCount = 0
    /// Batches held back.
    private(set) var count = 0

    /// Origins of which something waits for what is missing before it.
    var originCount: Int { queues.count }

    /// Keeps a batch, unless it is there already; false if there was no room.
    mutating func insert(_ batch: Batch, _ bytes: [UInt8]) -> Bool {
        guard count < ReorderBuffer.countLimit, byteCount + bytes.count <= ReorderBuffer.byteLimit
        else { return false }
        let queue = queues.firstIndex { $0.origin >= batch.origin } ?? queues.count
        if queue == queues.count || queues[queue].origin != batch.origin {
            guard queues.count < ReorderBuffer.originLimit else { return false }
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
        byteCount += bytes.count
        count += 1
        return true
    }

    /// Takes a batch that can be applied to a replica that holds `vector`, if there is one.
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

    /// Drops the batches that may not be taken any more.
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

    /// How much must be held to apply what waits: where the gaps before it end, and what it depends on.
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

    /// The last sequence before the first batch of an origin that waits, or nil if none does.
    func gapEnd(of origin: WriterID) -> UInt64? {
        queues.first { $0.origin == origin }?.batches.first.map { $0.batch.first - 1 }
    }

    /// Drops also what is held in part: whole batches are taken, so it contradicts what was, and
    /// would stand in the way of what follows.
    private mutating func dropHeld(by vector: VersionVector, from index: Int) {
        let held = vector[queues[index].origin]
        while let first = queues[index].batches.first, first.batch.first <= held {
            removeFirst(from: index)
        }
    }

    private mutating func removeFirst(from index: Int) {
        let first = queues[index].batches.removeFirst()
        byteCount -= first.bytes.count
        count -= 1
    }
}

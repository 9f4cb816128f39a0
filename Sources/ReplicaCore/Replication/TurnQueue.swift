import Store
import SyncProtocol

/// Output commit: holds what a turn wants to say until what it is based on is durable.
///
/// Turns become durable in order. A turn that stores nothing may still show what an earlier one,
/// not yet durable, has written; so it waits for that one.
struct TurnQueue: Sendable {
    /// What is durable once a turn is: how much is held, what the clock showed, up to when no stamp will
    /// be made use of, and of whom operations are taken.
    struct Mark: Sendable {
        var vector: VersionVector
        var time: HybridTime
        var closedTimestamp: HybridTime
        var writers: [WriterID]
        var evictions: [Eviction] = []
        var lease: Lease?
    }

    private struct Held: Sendable {
        var number: UInt64
        var outputs: [Output]
        var mark: Mark
    }

    let durability: Durability
    /// What the last durable turn left behind.
    private(set) var durable: Mark
    private(set) var lastNumber: UInt64 = 0
    private var hasStored = false
    private var held: [Held] = []

    init(durability: Durability) {
        self.durability = durability
        durable = Mark(vector: VersionVector(), time: .zero, closedTimestamp: .zero, writers: [])
    }

    /// Before the first turn: what is on disk.
    mutating func begin(holding vector: VersionVector) { durable.vector = vector }

    /// Before the first turn: the first heartbeat tells of it already, or who is out and starts at the same time
    /// would not learn that in time.
    mutating func begin(knowing evictions: [Eviction]) { durable.evictions = evictions }

    /// Whether outputs wait for the disk.
    ///
    /// In the mode `interval` only those of the first turn do: it keeps a bound above the times that
    /// are promised, and if that were lost, the next incarnation might stamp below them.
    private var holdsBack: Bool {
        durability == .commit || durability == .interval && !hasStored
    }

    /// What the replica holds was replaced: on disk by what `vector` says, and in what is on its way
    /// to the disk, only its own operations are added.
    mutating func rebase(onto vector: VersionVector, writer: WriterID) {
        durable.vector = vector
        for index in held.indices {
            let own = max(vector[writer], held[index].mark.vector[writer])
            held[index].mark.vector = vector
            held[index].mark.vector[writer] = own
        }
    }

    /// Turns that are on their way to the disk.
    var pendingCount: Int { held.count }

    /// Whether a turn, and all before it, is durable.
    func isStored(_ number: UInt64) -> Bool { held.first.map { $0.number > number } ?? true }

    /// Ends a turn; returns what the driver may do now.
    mutating func end(
        batches: [LogEntry], properties: [Property], clearsOrphans: Bool = false,
        outputs: [Output], mark: Mark
    ) -> [Output] {
        guard !batches.isEmpty || !properties.isEmpty else {
            if held.isEmpty || !holdsBack {
                durable = held.isEmpty ? mark : durable
                return outputs
            }
            held[held.count - 1].outputs += outputs
            return []
        }
        lastNumber += 1
        let store = Output.store(
            Turn(
                number: lastNumber, batches: batches, properties: properties,
                clearsOrphans: clearsOrphans))
        if holdsBack {
            held.append(Held(number: lastNumber, outputs: outputs, mark: mark))
            return [store]
        }
        held.append(Held(number: lastNumber, outputs: [], mark: mark))
        return [store] + outputs
    }

    /// A turn, and so every turn before it, is durable; returns what may leave now.
    mutating func stored(_ number: UInt64) -> [Output] {
        hasStored = true
        let count = held.firstIndex { $0.number > number } ?? held.count
        guard count > 0 else { return [] }
        durable = held[count - 1].mark
        let outputs = held[..<count].flatMap(\.outputs)
        held.removeFirst(count)
        return outputs
    }
}

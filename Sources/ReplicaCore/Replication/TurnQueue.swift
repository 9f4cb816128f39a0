import Store
import SyncProtocol

/// Output commit: holds the outputs of a turn until what they depend on is durable.
///
/// Turns become durable in order. A turn that stores nothing may still show what an earlier one, not yet
/// durable, has written; so it waits for that one.
struct TurnQueue: Sendable {
    /// The facts that heartbeats may announce once a turn is durable.
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
    /// The durable state.
    private(set) var durable: Mark
    private(set) var lastNumber: UInt64 = 0
    private var hasStored = false
    /// The last turn that must become durable without delay, and the last one whose sync the store has been asked
    /// for.
    private var awaitedNumber: UInt64 = 0
    private var synchronizedNumber: UInt64 = 0
    private var held: [Held] = []

    init(durability: Durability) {
        self.durability = durability
        durable = Mark(vector: VersionVector(), time: .zero, closedTimestamp: .zero, writers: [])
    }

    /// Sets, before the first turn, the version vector on disk.
    mutating func begin(holding vector: VersionVector) { durable.vector = vector }

    /// Sets the evictions on disk, before the first turn. The first heartbeat announces them, so that an evicted
    /// member that starts at the same time learns of its eviction in time.
    mutating func begin(knowing evictions: [Eviction]) { durable.evictions = evictions }

    /// Whether outputs wait for the disk.
    ///
    /// In the mode `interval` only those of the first turn do: it stores a bound above all closed timestamps to
    /// be announced. If that were lost, the next incarnation might stamp below them.
    private var holdsBack: Bool {
        durability == .commit || durability == .interval && !hasStored
    }

    /// Records that the replica's state was replaced: on disk by what `vector` covers; turns on their way to the
    /// disk add only its own operations.
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

    /// Whether a turn, and so every earlier one, is durable.
    func isStored(_ number: UInt64) -> Bool { held.first.map { $0.number > number } ?? true }

    /// Ends a turn; returns the outputs that can be sent now.
    mutating func end(
        batches: [LogEntry], properties: [Property], clearsOrphans: Bool = false,
        outputs: [Output], mark: consuming Mark
    ) -> [Output] {
        guard !batches.isEmpty || !properties.isEmpty else {
            if held.isEmpty || !holdsBack {
                if held.isEmpty { durable = mark }
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
            awaitStored()
            held.append(Held(number: lastNumber, outputs: outputs, mark: mark))
            return [store]
        }
        held.append(Held(number: lastNumber, outputs: [], mark: mark))
        return [store] + outputs
    }

    /// Records that a turn, and so every earlier one, is durable; returns the outputs that can be sent now.
    mutating func stored(_ number: UInt64) -> [Output] {
        hasStored = true
        let count = held.firstIndex { $0.number > number } ?? held.count
        guard count > 0 else { return [] }
        durable = held[count - 1].mark
        let outputs = held[..<count].flatMap(\.outputs)
        held.removeFirst(count)
        return outputs
    }

    /// Replaces each output that waits for the disk; nil removes it.
    mutating func changeWaitingOutputs(_ change: (Output) -> Output?) {
        for index in held.indices { held[index].outputs = held[index].outputs.compactMap(change) }
    }

    // MARK: Syncs

    // In the mode `commit` each turn is synced, so these do nothing there.

    /// Records that a request waits until all turns so far are durable.
    mutating func awaitStored() { awaitedNumber = lastNumber }

    /// Has the store sync what is awaited. One sync is under way at a time: turns that are awaited meanwhile share the
    /// next one.
    mutating func dueSynchronization() -> [Output] {
        guard durability != .commit, awaitedNumber > synchronizedNumber,
            isStored(synchronizedNumber)
        else { return [] }
        synchronizedNumber = lastNumber
        return [.synchronize]
    }
}

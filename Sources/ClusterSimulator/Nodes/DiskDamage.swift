import ReplicaCore
import SyncProtocol

// What is stored, and not what was written.

extension VirtualDisk {
    private var batchCount: Int { logs.reduce(0) { $0 + $1.entries.count } }

    /// Something stored is not what was written.
    var isDamaged: Bool { hasDamagedBatch || misdirected != nil || checkpoints.isDamaged }

    /// A batch of the log is not what was written there.
    var hasDamagedBatch: Bool { batches.contains { !$0.isWhole } }

    /// Turns a bit of something stored, if there is anything: a batch of the log, a row of the
    /// checkpoint, or its head.
    mutating func damage() {
        let count = batchCount + checkpoints.partCount
        guard count > 0 else { return }
        let chosen = random.index(below: count)
        if chosen < batchCount { return damageBatch(chosen) }
        checkpoints.damage(chosen - batchCount, &random)
    }

    /// Turns a bit of a batch of the log, if there is one.
    mutating func damageLog() {
        let count = batchCount
        if count > 0 { damageBatch(random.index(below: count)) }
    }

    /// What was written last is in the place of something else, which is gone, and is missing in its own: a
    /// batch of the log or, for one in three, a row of the checkpoint.
    mutating func misdirect() {
        if random.index(below: 3) == 0, checkpoints.misdirect(&random) { return }
        guard durability != .memory, misdirected == nil,
            let written = newest.batches.last(where: { batches.contains($0) })
        else { return }
        let others = batches.filter { $0 != written }
        guard !others.isEmpty else { return }
        let other = others[random.index(below: others.count)]
        for index in logs.indices {
            logs[index].entries.removeAll { $0 == written }
            for place in logs[index].entries.indices where logs[index].entries[place] == other {
                logs[index].entries[place].bytes = written.bytes
            }
        }
        misdirected = (written, newest.since)
    }

    /// A process has read all: what is missing it does not have, or has from elsewhere. Returns since when
    /// something is gone that nothing on the disk shows.
    mutating func noteStart(holding vector: VersionVector) -> Microseconds? {
        guard let (entry, since) = misdirected else { return nil }
        misdirected = nil
        return hasDamagedBatch || vector[entry.origin] >= entry.last ? nil : since
    }

    private mutating func damageBatch(_ chosen: Int) {
        var chosen = chosen
        for index in logs.indices {
            guard chosen >= logs[index].entries.count else {
                logs[index].entries[chosen].bytes.turnBit(&random)
                return
            }
            chosen -= logs[index].entries.count
        }
    }
}

extension [UInt8] {
    /// Turns a bit before the checksum, which then is wrong.
    mutating func turnBit(_ random: inout SplitMix64) {
        self[random.index(below: count - 4)] ^= 1 << UInt8(random.index(below: 8))
    }
}

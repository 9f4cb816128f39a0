import ReplicaCore
import Store
import SyncProtocol

// Stored rows that differ from what was written.

extension VirtualDisk {
    /// A place whose stored content differs from what was written.
    enum Damage {
        case row(StoredRow, in: Table)
        /// A row that is missing.
        case missing
        /// The head of the checkpoint is this.
        case head([UInt8])
    }

    private static let headName = "checkpoint"

    private var head: [UInt8]? { store.tables.property(VirtualDisk.headName) }

    /// The rows of the last complete checkpoint.
    private var rows: [StoredRow] {
        guard let head = head.flatMap({ try? CheckpointHead($0) }) else { return [] }
        return store.tables.allRows(in: .row).filter { $0.number <= head.lastRow }
    }

    /// Whether a power failure takes nothing of what the node has acknowledged.
    var keepsAll: Bool { durability == .commit && !isDamaged && lyingSince == nil && !hasFailed }

    /// Whether any stored row differs from what was written.
    var isDamaged: Bool { misdirected != nil || damages.contains { isThere($0) } }

    /// The damaged rows that a checkpoint has kept although it should replace all rows.
    mutating func takeKeptDamage() -> String? {
        let isKept = damages.prefix(replaced ?? 0).contains { damage in
            if case .row(_, in: .row) = damage { isThere(damage) } else { false }
        }
        replaced = nil
        return isKept ? "a checkpoint that was to replace all rows has left a damaged one" : nil
    }

    /// A batch of the log is not what was written there.
    var hasDamagedBatch: Bool {
        damages.contains { damage in
            if case .row(_, in: .batch) = damage { isThere(damage) } else { false }
        }
    }

    private func isThere(_ damage: Damage) -> Bool {
        switch damage {
        case .row(let row, let table):
            let stored = store.tables.rows(
                in: table, of: row.owner, row.number...row.number, byteLimit: 0)
            return stored.first.map { $0.bytes != row.bytes } ?? false
        case .missing: return true
        case .head(let bytes): return head == bytes
        }
    }

    /// Turns a bit of something stored, if there is anything: a batch of the log, a row of the
    /// checkpoint, or its head.
    mutating func damage() {
        let batches = store.tables.allRows(in: .batch)
        let rows = rows
        let count = batches.count + rows.count + (head == nil ? 0 : 1)
        guard count > 0 else { return }
        let chosen = random.index(below: count)
        if chosen < batches.count { return turnBit(of: batches[chosen], in: .batch) }
        guard chosen - batches.count >= rows.count, var bytes = head else {
            return turnBit(of: rows[chosen - batches.count], in: .row)
        }
        bytes.turnBit(&random)
        store.tables.damageProperty(VirtualDisk.headName, to: bytes)
        wasDamaged = true
        damages.append(.head(bytes))
    }

    /// Turns a bit of a batch of the log, if there is one.
    mutating func damageLog() {
        let batches = store.tables.allRows(in: .batch)
        guard !batches.isEmpty else { return }
        turnBit(of: batches[random.index(below: batches.count)], in: .batch)
    }

    /// Turns a bit of a row of the checkpoint, if there is one.
    mutating func damageRow() {
        let rows = rows
        guard !rows.isEmpty else { return }
        turnBit(of: rows[random.index(below: rows.count)], in: .row)
    }

    private mutating func turnBit(of row: StoredRow, in table: Table) {
        var bytes = row.bytes
        bytes.turnBit(&random)
        replace(row, in: table, with: bytes)
    }

    private mutating func replace(_ row: StoredRow, in table: Table, with bytes: [UInt8]) {
        store.tables.damage(row, in: table, to: bytes)
        wasDamaged = true
        damages.append(.row(row, in: table))
    }

    /// Misdirects the last write: it replaces another row, and is missing in its own place. It is a batch of
    /// the log or, for one in three, a row of the checkpoint.
    mutating func misdirect() {
        if random.index(below: 3) == 0, misdirectRow() { return }
        let batches = store.tables.allRows(in: .batch)
        guard durability != .memory, misdirected == nil,
            let entry = newest.batches.last(where: { entry in
                batches.contains { LogEntry($0) == entry }
            })
        else { return }
        let others = batches.filter { LogEntry($0) != entry }
        guard let written = batches.first(where: { LogEntry($0) == entry }), !others.isEmpty
        else { return }
        replace(others[random.index(below: others.count)], in: .batch, with: written.bytes)
        store.tables.damage(written, in: .batch, to: nil)
        misdirected = (entry, newest.since)
    }

    /// Loses the last batch of an origin after the checkpoint: nothing in its place shows that, only what rests on it.
    mutating func loseEnd() {
        let held = head.flatMap { try? CheckpointHead($0) }?.vector ?? VersionVector()
        let batches = store.tables.allRows(in: .batch).filter { row in
            let entry = LogEntry(row)
            return entry.first > held[entry.origin]
        }
        guard durability != .memory, misdirected == nil, !batches.isEmpty else { return }
        let owner = batches[random.index(below: batches.count)].owner
        guard let last = batches.last(where: { $0.owner == owner }) else { return }
        store.tables.damage(last, in: .batch, to: nil)
        wasDamaged = true
        misdirected = (LogEntry(last), 0)
    }

    /// False if the checkpoint has fewer than two rows.
    private mutating func misdirectRow() -> Bool {
        let rows = rows
        guard rows.count > 1, let written = rows.last else { return false }
        replace(rows[random.index(below: rows.count - 1)], in: .row, with: written.bytes)
        store.tables.damage(written, in: .row, to: nil)
        damages.append(.missing)
        return true
    }

    /// A process has read everything, and lacks the missing rows or has them from peers. Returns since when
    /// data is lost without a trace on the disk.
    mutating func noteStart(holding vector: VersionVector) -> Microseconds? {
        damages.removeAll { if case .missing = $0 { true } else { false } }
        guard let (entry, since) = misdirected else { return nil }
        misdirected = nil
        return hasDamagedBatch || vector[entry.origin] >= entry.last ? nil : since
    }
}

extension [UInt8] {
    /// Turns a bit before the checksum.
    mutating func turnBit(_ random: inout SplitMix64) {
        self[random.index(below: count - 4)] ^= 1 << UInt8(random.index(below: 8))
    }
}

import ReplicaCore
import SyncProtocol

/// The checkpoint on a node's disk, and the one that is being written.
///
/// Rows are small, so that a small tree has many.
struct VirtualCheckpoints {
    private static let chunkBytes = 4_000
    private static let limits = CheckpointWriter.Limits(row: 200, slice: 600)

    private var writer = CheckpointWriter(limits: limits)
    private var head: [UInt8]?
    /// Ascending by ID.
    private var rows: [CheckpointRow] = []
    private var pending: (checkpoint: Checkpoint, turn: UInt64)?
    /// Rows of a peer's checkpoint, and its head once all are there.
    private var received: [CheckpointRow] = []
    private var receivedHead: [UInt8] = []

    /// Begins to write a checkpoint of all that turns up to one have made.
    mutating func begin(_ checkpoint: Checkpoint, after turn: UInt64) {
        pending = (checkpoint, turn)
    }

    /// Completes the checkpoint if what it holds is durable; false if it has to wait.
    mutating func complete(stored turn: UInt64) -> Bool {
        guard let (checkpoint, last) = pending, turn >= last else { return false }
        pending = nil
        writer.begin(checkpoint)
        while case let slice = writer.nextRows(), !slice.isEmpty { rows += slice }
        let end = writer.finish()
        let removed = Set(end.removed)
        rows.removeAll { removed.contains($0.id) }
        head = end.head
        return true
    }

    /// The rows, and the head.
    var partCount: Int { rows.count + (head == nil ? 0 : 1) }

    /// Turns a bit of a row, counted from 0, or after them of the head.
    mutating func damage(_ index: Int, _ random: inout SplitMix64) {
        guard index < rows.count else {
            head?.turnBit(&random)
            return
        }
        var bytes = rows[index].bytes
        bytes.turnBit(&random)
        rows[index] = CheckpointRow(id: rows[index].id, bytes: bytes)
    }

    /// The newest row takes the place of another one, and is missing in its own; false if there is no other.
    mutating func misdirect(_ random: inout SplitMix64) -> Bool {
        guard rows.count > 1, let written = rows.popLast() else { return false }
        let place = random.index(below: rows.count)
        rows[place] = CheckpointRow(id: rows[place].id, bytes: written.bytes)
        return true
    }

    /// The rows and the head are not what was written.
    var isDamaged: Bool {
        var copy = self
        do throws(FrameError) {
            _ = try copy.restore()
            return false
        } catch {
            return true
        }
    }

    /// The process ends; what is not complete is lost.
    mutating func crash() {
        pending = nil
        received.removeAll()
    }

    // MARK: Between nodes

    mutating func receiveRows(_ rows: [CheckpointRow], areFirst: Bool) {
        if areFirst { received.removeAll() }
        received += rows
    }

    mutating func noteInstallation(of head: [UInt8]) { receivedHead = head }

    /// Makes the staged rows the checkpoint, if they are whole.
    mutating func install() -> RestoredCheckpoint? {
        defer { received.removeAll() }
        var installed = VirtualCheckpoints()
        installed.rows = received
        installed.head = receivedHead
        guard let restored = try? installed.restore() else { return nil }
        self = installed
        return restored
    }

    /// The rows that a peer wishes for, a chunk at a time.
    func read(_ read: RowRead) -> CheckpointChunk {
        guard let head, let last = rows.last else {
            return CheckpointChunk(head: [], after: 0, rows: [], isLast: true)
        }
        let lastRow = (try? CheckpointHead(head))?.lastRow
        let after = read.checkpoint == lastRow ? read.after : 0
        var room = VirtualCheckpoints.chunkBytes
        let found = Array(
            rows.drop { $0.id <= after }.prefix { row in
                room -= row.bytes.count
                return room >= 0
            })
        return CheckpointChunk(
            head: head, after: after, rows: found, isLast: (found.last?.id ?? last.id) == last.id)
    }

    // MARK: Reading

    /// What a new process reads, and goes on writing.
    mutating func restore() throws(FrameError) -> RestoredCheckpoint? {
        guard let head else {
            writer = CheckpointWriter(limits: VirtualCheckpoints.limits)
            return nil
        }
        var reader = CheckpointReader(try CheckpointHead(head))
        for row in rows { reader.add(try DecodedRow(row)) }
        let restored = try reader.finish()
        writer = CheckpointWriter(after: restored, limits: VirtualCheckpoints.limits)
        return restored
    }
}

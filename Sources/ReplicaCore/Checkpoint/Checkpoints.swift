import Marks
import SyncProtocol

/// Decides when a replica makes a checkpoint, and what its log keeps.
struct Checkpoints: Sendable {
    /// A node that has logged nothing for this long has time for a checkpoint, which shortens its next
    /// start.
    static let quietMilliseconds: UInt64 = 2_000
    /// The cost of a location with forgotten registers: about the bytes that they occupy in the last checkpoint.
    static let registerBytes = 32

    /// A checkpoint is due once this many bytes have changed; at a quiet node, a quarter of that.
    let interval: Int
    /// The operations in the last complete checkpoint.
    private(set) var vector = VersionVector()
    /// Bytes changed since the last checkpoint: the log's, and those of forgotten registers.
    private(set) var changedBytes = 0
    /// Locations with registers both in the last checkpoint and in the replica.
    private var remembered = 0
    /// When something was logged last; the begin of this incarnation if nothing was.
    private var loggedMilliseconds: UInt64?
    private var writing: VersionVector?
    private var readMilliseconds: UInt64?
    private var doneMilliseconds: UInt64?
    /// A peer waits for a new checkpoint.
    private var isWanted = false
    /// The last checkpoint is damaged, so all rows of the next one are written.
    private var isDamaged = false
    /// The operations that the log no longer has, or never had.
    var truncated = VersionVector()
    /// By the members whose checkpoints were refused: how many operations the log would lack behind that checkpoint. A
    /// member that refuses this replica's checkpoint too gives it nothing, nor gets anything from it.
    private(set) var refused: [String: UInt64] = [:]

    /// With more operations in the log, it waits for no silent member, and with twice as many for no live one.
    let logLimit: UInt64
    /// While a peer reads rows, they stay; a peer that requests none for this long has stopped reading.
    private let patienceMilliseconds: UInt64
    /// A checkpoint younger than this is recent enough for a peer that requests one, and for a quiet node.
    private let freshMilliseconds: UInt64

    init(_ configuration: ReplicaConfiguration) {
        interval = configuration.checkpointBytes
        logLimit = configuration.logLimit
        patienceMilliseconds = configuration.transferPatienceMilliseconds
        freshMilliseconds = configuration.freshCheckpointMilliseconds
    }

    var isWriting: Bool { writing != nil }

    /// Records the growth of the log.
    mutating func record(bytes: Int, at milliseconds: UInt64) {
        changedBytes += bytes
        loggedMilliseconds = milliseconds
    }

    /// Records the size of the log before this incarnation.
    mutating func record(restoredBytes: Int) { changedBytes += restoredBytes }

    /// Records that this many locations were visited in the order of their stamps, and need fewer registers
    /// or none; those in the last checkpoint come first.
    mutating func record(forgotten count: Int) {
        let count = min(count, remembered)
        remembered -= count
        changedBytes += count * Checkpoints.registerBytes
    }

    /// Whether nothing was logged for some time.
    func isQuiet(at milliseconds: UInt64) -> Bool {
        loggedMilliseconds.map { milliseconds >= $0 + Checkpoints.quietMilliseconds } ?? false
    }

    mutating func noteRead(at milliseconds: UInt64) { readMilliseconds = milliseconds }

    /// Starts from the node's own checkpoint, which has this vector and registers of this many locations;
    /// unless later calls say otherwise, the log begins where it ends.
    mutating func begin(with vector: VersionVector, remembering count: Int) {
        self.vector = vector
        truncated = vector
        refused = [:]
        changedBytes = 0
        remembered = count
    }

    /// Requests a new checkpoint for a peer.
    mutating func want() { isWanted = true }

    /// Schedules a new checkpoint at once, even while a peer reads: that on disk is damaged, and memory is
    /// not.
    mutating func replace() {
        (isDamaged, isWanted) = (true, true)
        readMilliseconds = nil
    }

    /// Whether the checkpoint that begins now must be written as a whole; resets that.
    mutating func takeDamage() -> Bool {
        defer { isDamaged = false }
        return isDamaged
    }

    /// Begins a checkpoint of what is held, with registers of this many locations, if one is due, none is
    /// being written, and no peer reads the last one.
    mutating func begin(
        holding vector: VersionVector, remembering count: Int, at milliseconds: UInt64
    ) -> Bool {
        loggedMilliseconds = loggedMilliseconds ?? milliseconds
        let hasTime = isQuiet(at: milliseconds) && !isFresh(at: milliseconds)
        let isDue = changedBytes >= (hasTime ? max(1, interval / 4) : interval)
        let isRead = readMilliseconds.map { milliseconds < $0 + patienceMilliseconds }
        guard isDue || isWanted, !isWriting, isRead != true else { return false }
        isWanted = false
        changedBytes = 0
        remembered = count
        writing = vector
        return true
    }

    private func isFresh(at milliseconds: UInt64) -> Bool {
        doneMilliseconds.map { milliseconds < $0 + freshMilliseconds } ?? false
    }

    mutating func finish(at milliseconds: UInt64) {
        vector = writing ?? vector
        writing = nil
        doneMilliseconds = milliseconds
    }

    /// Requests a new checkpoint if the last one is too old for a peer; returns false if the peer has to
    /// ask again.
    mutating func refresh(to held: VersionVector, at milliseconds: UInt64) -> Bool {
        if isWriting || isWanted { return false }
        // An empty replica may have no checkpoint yet.
        if isFresh(at: milliseconds) || vector == held && !held.entries.isEmpty { return true }
        isWanted = true
        return false
    }

    /// Whether the log has everything after a checkpoint with this vector.
    func logGoesBack(to vector: VersionVector) -> Bool { vector.covers(truncated) }

    /// Returns whether a checkpoint of a member can be installed before the log; if not, records what the log would lack.
    mutating func admit(_ checkpoint: VersionVector, of member: String) -> Bool {
        if logGoesBack(to: checkpoint) { return true }
        sometimes(.checkpointLacksWhatIsTruncated)
        refused[member] = truncated.excess(over: checkpoint)
        return false
    }

    /// Forgets refused checkpoints, once nothing is missed that they might have.
    mutating func forgetRefused() { refused = [:] }

    /// How many of the held operations are still in the log.
    func loggedCount(of held: VersionVector) -> UInt64 { held.excess(over: truncated) }

    /// Records that the log has this batch of an origin, and all later ones.
    mutating func record(first sequence: UInt64, of origin: WriterID) {
        guard sequence <= truncated[origin] else { return }
        truncated[origin] = sequence - 1
    }
}

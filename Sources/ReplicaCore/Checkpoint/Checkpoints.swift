import SyncProtocol

/// When a replica makes a checkpoint, and what its log needs to keep.
struct Checkpoints: Sendable {
    /// As long as a peer reads rows, they stay: it has so long to ask for the next ones.
    static let readMilliseconds: UInt64 = 5_000
    /// A checkpoint younger than this is new enough for a peer that asks, and for a quiet node.
    static let freshMilliseconds: UInt64 = 10_000
    /// A node that has logged nothing for so long has time for a checkpoint now, and whoever starts it next
    /// has less to read.
    static let quietMilliseconds: UInt64 = 2_000
    /// What a place counts for whose registers were forgotten: about what they take in the last checkpoint.
    static let registerBytes = 32

    /// A checkpoint is due once so many bytes have changed, and at a quiet node after a quarter of that.
    let interval: Int
    /// What the last complete checkpoint holds.
    private(set) var vector = VersionVector()
    /// What has changed since the state of the last checkpoint: what the log has, and what was forgotten.
    private(set) var changedBytes = 0
    /// Places of which the last checkpoint has registers, and the replica still has.
    private var remembered = 0
    /// When something was logged last; when this incarnation began, if nothing was.
    private var loggedMilliseconds: UInt64?
    private var writing: VersionVector?
    private var readMilliseconds: UInt64?
    private var doneMilliseconds: UInt64?
    /// A peer waits for a new one.
    private var isWanted = false
    /// The last one is damaged, so that all rows of the next one are written.
    private var isDamaged = false
    /// What the log has no more, or never had.
    private var truncated = VersionVector()

    /// Beyond this many operations in the log, those go that most members hold: a member that was away
    /// for long then gets a checkpoint.
    let logLimit: UInt64

    init(every interval: Int, logLimit: UInt64) {
        self.interval = interval
        self.logLimit = logLimit
    }

    var isWriting: Bool { writing != nil }

    /// Notes that the log has grown.
    mutating func note(bytes: Int, at milliseconds: UInt64) {
        changedBytes += bytes
        loggedMilliseconds = milliseconds
    }

    /// Notes that the log had this before this incarnation.
    mutating func note(restoredBytes: Int) { changedBytes += restoredBytes }

    /// Notes that so many places were looked at, in the order of their stamps, and need no registers any
    /// more, or few of them: those that the last checkpoint has come first.
    mutating func note(forgotten count: Int) {
        let count = min(count, remembered)
        remembered -= count
        changedBytes += count * Checkpoints.registerBytes
    }

    /// Whether nothing was logged for some time.
    func isQuiet(at milliseconds: UInt64) -> Bool {
        loggedMilliseconds.map { milliseconds >= $0 + Checkpoints.quietMilliseconds } ?? false
    }

    mutating func noteRead(at milliseconds: UInt64) { readMilliseconds = milliseconds }

    /// The node's checkpoint is one that holds this, and remembers so many places; as long as nothing else
    /// is noted, the log begins where it ends.
    mutating func begin(with vector: VersionVector, remembering count: Int) {
        self.vector = vector
        truncated = vector
        changedBytes = 0
        remembered = count
    }

    /// Somebody needs a new one.
    mutating func want() { isWanted = true }

    /// What the disk has is damaged; what is in memory takes its place at once, whoever reads it.
    mutating func replace() {
        (isDamaged, isWanted) = (true, true)
        readMilliseconds = nil
    }

    /// Whether the checkpoint that begins now has to be written as a whole.
    mutating func takeDamage() -> Bool {
        defer { isDamaged = false }
        return isDamaged
    }

    /// Begins a checkpoint of what is held, which remembers so many places, if one is due, none is being
    /// written, and no peer reads the last one.
    mutating func begin(
        holding vector: VersionVector, remembering count: Int, at milliseconds: UInt64
    ) -> Bool {
        loggedMilliseconds = loggedMilliseconds ?? milliseconds
        let hasTime = isQuiet(at: milliseconds) && !isFresh(at: milliseconds)
        let isDue = changedBytes >= (hasTime ? max(1, interval / 4) : interval)
        let isRead = readMilliseconds.map { milliseconds < $0 + Checkpoints.readMilliseconds }
        guard isDue || isWanted, !isWriting, isRead != true else { return false }
        isWanted = false
        changedBytes = 0
        remembered = count
        writing = vector
        return true
    }

    private func isFresh(at milliseconds: UInt64) -> Bool {
        doneMilliseconds.map { milliseconds < $0 + Checkpoints.freshMilliseconds } ?? false
    }

    mutating func finish(at milliseconds: UInt64) {
        vector = writing ?? vector
        writing = nil
        doneMilliseconds = milliseconds
    }

    /// Sees to it that a peer gets a checkpoint of what is held, or of what was shortly before; false
    /// if it has to ask again.
    mutating func refresh(to held: VersionVector, at milliseconds: UInt64) -> Bool {
        if isWriting || isWanted { return false }
        // Of nothing at all there may be no checkpoint yet.
        if isFresh(at: milliseconds) || vector == held && !held.entries.isEmpty { return true }
        isWanted = true
        return false
    }

    /// Whether the log has all that comes after such a checkpoint.
    func logGoesBack(to vector: VersionVector) -> Bool { vector.covers(truncated) }

    /// What the log still has of what a replica holds, in operations.
    func loggedCount(of held: VersionVector) -> UInt64 {
        held.entries.reduce(0) { $0 + $1.sequence - min($1.sequence, truncated[$1.origin]) }
    }

    /// Notes that the log has this batch of an origin, and all that follow.
    mutating func note(first sequence: UInt64, of origin: WriterID) {
        guard sequence <= truncated[origin] else { return }
        truncated[origin] = sequence - 1
    }

    /// What may be taken from the log and was not yet: what the checkpoint covers and all members
    /// hold; most of them, if the log is too long.
    mutating func truncation(of held: VersionVector, heldBy peers: Peers) -> VersionVector {
        var bound = VersionVector()
        let isTooLong = loggedCount(of: held) > logLimit
        for (origin, sequence) in vector.entries {
            let holdings = peers.holdings(of: origin, own: sequence)
            // In a majority that holds it, the last one holds so much.
            let held = isTooLong ? holdings[holdings.count / 2] : holdings[holdings.count - 1]
            guard held > truncated[origin] else { continue }
            bound[origin] = held
            truncated[origin] = held
        }
        return bound
    }
}

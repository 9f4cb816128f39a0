import DataTree
import Store
import SyncProtocol

/// The incarnations of this member of which its disk knows. A peer that knows a later one, or more operations of one,
/// shows that the disk is old.
struct Incarnations: Sendable {
    /// How many the disk keeps: a peer that was away for more restarts takes the disk for an old one.
    private static let limit = 64

    private static let claimMilliseconds: UInt64 = 1_000

    /// The latest last; that of this process, too.
    private(set) var writers: [WriterID] = []
    /// Whether everything that left this node was on its disk: only then more operations at a peer show an old disk.
    var isSynchronous = true
    /// The member whose heartbeats show more operations of this incarnation than it has made, and since when.
    private var claim: (member: String, sinceMilliseconds: UInt64)?
    /// The operations on the disk at the start; nil before the first turn.
    private var held: VersionVector?
    /// Whether the disk had a list: older versions wrote none.
    private let isComplete: Bool
    /// The list may lack incarnations that ended before this time: the disk was old, and the node has recovered since.
    private var floor = HybridTime.zero
    private var isStored = true

    init() { isComplete = false }

    /// Empty for bytes that `takeToStore` did not make.
    init(_ bytes: [UInt8]) {
        let read = try? bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = MessagePackReader(bytes)
            let floor = try reader.time()
            let writers = try reader.elements(try reader.arrayHead("writers")) {
                reader throws(FrameError) in
                try reader.writerID()
            }
            return (floor, writers)
        }
        if let read { (floor, writers) = read }
        isComplete = read != nil
    }

    /// Processes a heartbeat that shows more operations of this incarnation than it has made; returns whether those of the
    /// same member have done so for a while.
    mutating func claim(by member: String, at milliseconds: UInt64) -> Bool {
        if let claim, claim.member == member {
            return milliseconds >= claim.sinceMilliseconds + Incarnations.claimMilliseconds
        }
        claim = (member, milliseconds)
        return false
    }

    /// Processes a heartbeat that shows no more operations of this incarnation than it has made.
    mutating func withdrawClaim(of member: String) {
        if claim?.member == member { claim = nil }
    }

    /// Begins an incarnation.
    mutating func begin(_ writer: WriterID) {
        writers = writers.suffix(Incarnations.limit - 1) + [writer]
        isStored = false
    }

    /// Records, before the first turn, the operations on the disk.
    mutating func note(startWith vector: VersionVector) { held = held ?? vector }

    /// Records that everything is known again that peers remember of earlier incarnations, up to a time.
    mutating func recover(holding vector: VersionVector, above time: HybridTime) {
        (held, floor) = (vector, time)
        isStored = false
    }

    /// The list to be stored, if it has changed.
    mutating func takeToStore() -> Property? {
        if isStored { return nil }
        isStored = true
        var writer = MessagePackWriter()
        writer.append(floor.bits)
        writer.appendArrayHead(writers.count)
        for own in writers { writer.append(own.bits) }
        return Property(.incarnations, bytes: writer.bytes)
    }

    /// Whether a peer's memory is of more than the disk had, with a floor for its closed timestamp.
    ///
    /// - Parameter isEvicted: Whether the disk knows that the incarnation which the peer remembers was evicted. Then the data of
    ///   others have replaced its operations.
    func isOlder(than memory: DiskMemory, floor: HybridTime, isEvicted: Bool) -> Bool {
        guard let predecessor = memory.predecessor else { return false }
        let isUnlisted = isComplete && !writers.contains(predecessor) && memory.closed > self.floor
        return memory.closed > floor || isUnlisted
            || isSynchronous && !isEvicted && memory.sequence > held?[predecessor] ?? 0
    }
}

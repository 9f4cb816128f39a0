import DataTree
import Store
import SyncProtocol

/// The incarnations of this member of which its disk knows. A peer that knows a later one, or more operations of one,
/// shows that the disk is old.
struct Incarnations: Sendable {
    /// How many the disk keeps: a peer that was away for more restarts takes the disk for an old one.
    private static let limit = 64

    /// The latest last; that of this process, too.
    private(set) var writers: [WriterID] = []
    /// Whether everything that left this node was on its disk: only then more operations at a peer show an old disk.
    var isSynchronous = true
    /// The operations on the disk at the start; nil before the first turn.
    private var held: VersionVector?
    /// Whether the disk had a list: older versions wrote none.
    private let isComplete: Bool
    private var isStored = true

    init() { isComplete = false }

    /// Empty for bytes that `takeToStore` did not make.
    init(_ bytes: [UInt8]) {
        let read = try? bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = MessagePackReader(bytes)
            return try reader.elements(try reader.arrayHead("writers")) {
                reader throws(FrameError) in
                try reader.writerID()
            }
        }
        writers = read ?? []
        isComplete = read != nil
    }

    /// Begins an incarnation.
    mutating func begin(_ writer: WriterID) {
        writers = writers.suffix(Incarnations.limit - 1) + [writer]
        isStored = false
    }

    /// Records, before the first turn, the operations on the disk.
    mutating func note(startWith vector: VersionVector) { held = held ?? vector }

    /// Records that all is known again.
    mutating func recover(holding vector: VersionVector) { held = vector }

    /// The list to be stored, if it has changed.
    mutating func takeToStore() -> Property? {
        if isStored { return nil }
        isStored = true
        var writer = MessagePackWriter()
        writer.appendArrayHead(writers.count)
        for own in writers { writer.append(own.bits) }
        return Property(.incarnations, bytes: writer.bytes)
    }

    /// Whether a peer's memory is of more than the disk had, with a floor for its closed timestamp.
    func isOlder(than memory: DiskMemory, floor: HybridTime) -> Bool {
        guard let predecessor = memory.predecessor else { return false }
        return memory.closed > floor || isComplete && !writers.contains(predecessor)
            || isSynchronous && memory.sequence > held?[predecessor] ?? 0
    }
}

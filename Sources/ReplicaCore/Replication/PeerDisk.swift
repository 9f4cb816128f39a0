import DataTree
import Marks
import Store
import SyncProtocol

/// The state of a peer's disk as this replica knows it, and the peer's memory of this replica's disk.
///
/// A disk that is older than what its peers have seen of it (a restored copy, a folder put back) is no whole disk: it
/// has forgotten votes, evictions and closed timestamps on which peers rely. Peers exchange statements about their
/// disks (`DiskStatement`), and a peer's heartbeats count only once its operations are certainly above all times that
/// an earlier incarnation of it has closed. Source: `membership.md`, "Old disks".
struct PeerDisk: Sendable {
    /// The version of the protocol from which on nodes exchange statements.
    static let version: UInt64 = 2

    /// The last incarnation of the peer whose heartbeats counted; kept on the disk.
    struct Memory: Equatable, Sendable {
        var writer: WriterID
        /// The latest closed timestamp of any incarnation.
        var closed: HybridTime
        /// Whether an incarnation has had its whole disk.
        var hasServed: Bool
        /// The version that it spoke; 0 if that was not known.
        var version: UInt64 = 0
    }

    /// The version that the peer speaks, or spoke at last; nil if one of the two has yet to greet the other.
    var version: UInt64?
    private(set) var memory: Memory?
    /// The last statement.
    private(set) var statement: DiskStatement?
    /// The last heartbeat that does not count yet.
    private(set) var withheld: Heartbeat?
    /// The peer's memory of this replica's member.
    private(set) var told: DiskMemory?
    /// Whether the peer's disk is whole, by its last message.
    private(set) var saysWhole = false

    init(remembering memory: Memory? = nil) {
        self.memory = memory
        if let memory, memory.version > 0 { version = memory.version }
    }

    private var isOfEarlierVersion: Bool { version.map { $0 < PeerDisk.version } ?? false }

    /// Whether the peer exchanges statements.
    var isStated: Bool { version.map { $0 >= PeerDisk.version } ?? false }

    // MARK: The peer

    /// Whether the peer's disk has all that the peer ever had. Nodes of earlier versions do not know better.
    var isWhole: Bool { isOfEarlierVersion || saysWhole }

    /// Whether heartbeats of an incarnation count, at a replica with this stable time; otherwise keeps this one.
    mutating func admit(_ heartbeat: Heartbeat, stable: HybridTime) -> Bool {
        guard let memory, memory.writer != heartbeat.writer, !isOfEarlierVersion,
            !isAbove(max(memory.closed, stable), heartbeat.writer)
        else { return true }
        sometimes(.heartbeatWaitsForStatement)
        withheld = heartbeat
        return false
    }

    private func isAbove(_ time: HybridTime, _ writer: WriterID) -> Bool {
        guard let statement else { return false }
        return statement.writer == writer && statement.floor >= time
    }

    /// Records a heartbeat that counts; returns whether the disk should have the memory at once.
    mutating func remember(_ heartbeat: Heartbeat) -> Bool {
        withheld = nil
        let before = memory
        let isStatedWhole = statement.map { $0.writer == heartbeat.writer && $0.isWhole } ?? false
        if before?.writer != heartbeat.writer, statement?.writer != heartbeat.writer {
            saysWhole = told?.writer == heartbeat.writer && told?.isWhole == true
        }
        memory = Memory(
            writer: heartbeat.writer,
            closed: max(before?.closed ?? .zero, heartbeat.closedTimestamp),
            hasServed: before?.hasServed == true || isOfEarlierVersion || isStatedWhole
                || heartbeat.vector[heartbeat.writer] > 0,
            version: version ?? before?.version ?? 0)
        return before?.writer != memory?.writer || before?.hasServed != memory?.hasServed
            || before?.version != memory?.version
    }

    /// Records the peer's statement; returns the heartbeat that it lets count.
    mutating func record(_ statement: DiskStatement) -> Heartbeat? {
        // Statements of one incarnation may overtake each other; a floor only rises.
        let last = self.statement
        self.statement = statement
        if let last, last.writer == statement.writer, last.floor > statement.floor {
            self.statement?.floor = last.floor
        }
        saysWhole = statement.isWhole
        if statement.isWhole, memory?.writer == statement.writer { memory?.hasServed = true }
        guard let heartbeat = withheld, heartbeat.writer == statement.writer else { return nil }
        withheld = nil
        return heartbeat
    }

    // MARK: This replica

    /// Records the peer's memory of this replica's member.
    mutating func record(_ memory: DiskMemory) {
        told = memory
        saysWhole = memory.isWhole
    }

    /// Whether the peer has compared its memory with an incarnation of this replica, or cannot.
    func hasCompared(_ own: WriterID, current peer: WriterID?) -> Bool {
        isOfEarlierVersion || told.map { $0.addressee == own && $0.writer == peer } == true
    }

    /// Whether the peer knows an earlier incarnation of this replica's member that had its whole disk.
    var knowsPredecessor: Bool { told?.hasServed == true }

    /// Whether a statement is due: the peer's last answer was to another one, or of another incarnation.
    ///
    /// - Parameter peer: The writer of its last heartbeat that counts; its last statement may be of a later one.
    func awaits(_ statement: DiskStatement, current peer: WriterID?) -> Bool {
        guard let version, version >= PeerDisk.version else { return false }
        let latest = self.statement?.writer ?? peer
        guard let told, latest == nil || told.writer == latest else { return true }
        return !told.answers(statement)
    }

    /// Whether an incarnation of the peer has had its whole disk.
    var hasServed: Bool { memory?.hasServed == true }

    /// The memory of the incarnation before that of a statement; nil if there is none.
    func predecessor(of statement: DiskStatement) -> Memory? {
        memory.flatMap { $0.writer == statement.writer ? nil : $0 }
    }
}

// MARK: - On the disk

/// The memories of peers' disks, as they are stored: `[member, writer, closed, has served, version, …]`.
struct PeerMemories: Sendable {
    private(set) var all: [(member: String, memory: PeerDisk.Memory)] = []

    init(_ all: [(member: String, memory: PeerDisk.Memory)] = []) { self.all = all }

    /// Empty for bytes that `property` did not make.
    init(_ bytes: [UInt8]) {
        let read = try? bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = MessagePackReader(bytes)
            let count = try reader.arrayHead("memories")
            return try reader.elements(count / 5) { reader throws(FrameError) in
                (
                    member: try reader.string("a member"),
                    memory: PeerDisk.Memory(
                        writer: try reader.writerID(), closed: try reader.time(),
                        hasServed: try reader.boolean("whether it has served"),
                        version: try reader.unsigned("a version"))
                )
            }
        }
        all = read ?? []
    }

    subscript(member: String) -> PeerDisk.Memory? {
        all.first { $0.member == member }?.memory
    }

    var property: Property {
        var writer = MessagePackWriter()
        writer.appendArrayHead(5 * all.count)
        for (member, memory) in all {
            writer.append(member)
            writer.append(memory.writer.bits)
            writer.append(memory.closed.bits)
            writer.append(memory.hasServed)
            writer.append(memory.version)
        }
        return Property(.peerDisks, bytes: writer.bytes)
    }
}

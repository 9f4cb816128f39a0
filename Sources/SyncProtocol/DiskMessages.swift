import DataTree

/// A node's statement about its disk, sent to each peer that speaks version 2: once for each pair of incarnations, and
/// again if it changes.
public struct DiskStatement: Equatable, Sendable {
    package var member: String
    package var writer: WriterID
    /// This incarnation makes no operation with a stamp of this time or an earlier one, and has made none.
    package var floor: HybridTime
    /// Whether the disk has all that this member ever had: it is neither lost nor an older copy.
    package var isWhole: Bool

    package init(member: String, writer: WriterID, floor: HybridTime, isWhole: Bool) {
        self.member = member
        self.writer = writer
        self.floor = floor
        self.isWhole = isWhole
    }
}

/// The answer to a `DiskStatement`: the sender's memory of the earlier incarnations of that member.
public struct DiskMemory: Equatable, Sendable {
    /// The sender.
    package var member: String
    package var writer: WriterID
    /// The incarnation that made the statement, and its other contents.
    package var addressee: WriterID
    package var statedFloor: HybridTime
    package var statedWhole: Bool
    /// The last incarnation of the addressee's member before this one of which the sender knows; nil if it knows none.
    package var predecessor: WriterID?
    /// How much the sender holds of it.
    package var sequence: UInt64
    /// The latest closed timestamp of the member that the sender has received.
    package var closed: HybridTime
    /// The sender's stable time.
    package var stable: HybridTime
    /// Whether the sender knows an incarnation of that member that had its whole disk.
    package var hasServed: Bool
    /// Whether the sender's own disk is whole.
    package var isWhole: Bool

    package init(
        member: String, writer: WriterID, answering statement: DiskStatement,
        predecessor: WriterID?, sequence: UInt64, closed: HybridTime, stable: HybridTime,
        hasServed: Bool, isWhole: Bool
    ) {
        self.member = member
        self.writer = writer
        addressee = statement.writer
        statedFloor = statement.floor
        statedWhole = statement.isWhole
        self.predecessor = predecessor
        self.sequence = sequence
        self.closed = closed
        self.stable = stable
        self.hasServed = hasServed
        self.isWhole = isWhole
    }

    /// The time above which the addressee's operations must be.
    package var bound: HybridTime { max(closed, stable) }

    /// Whether it answers this statement.
    package func answers(_ statement: DiskStatement) -> Bool {
        addressee == statement.writer && statedFloor == statement.floor
            && statedWhole == statement.isWhole
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    mutating func append(_ statement: DiskStatement) {
        appendMessageHead("disk", 5)
        append(statement.member)
        append(statement.writer.bits)
        append(statement.floor.bits)
        append(statement.isWhole)
    }

    mutating func append(_ memory: DiskMemory) {
        appendMessageHead("remembered", 12)
        append(memory.member)
        append(memory.writer.bits)
        append(memory.addressee.bits)
        append(memory.statedFloor.bits)
        append(memory.statedWhole)
        if let predecessor = memory.predecessor { append(predecessor.bits) } else { appendNil() }
        append(memory.sequence)
        append(memory.closed.bits)
        append(memory.stable.bits)
        append(memory.hasServed)
        append(memory.isWhole)
    }
}

extension MessagePackReader {
    mutating func diskStatement() throws(FrameError) -> DiskStatement {
        DiskStatement(
            member: try string("a member"), writer: try writerID(), floor: try time(),
            isWhole: try boolean("whether the disk is whole"))
    }

    mutating func diskMemory() throws(FrameError) -> DiskMemory {
        let (member, writer) = (try string("a member"), try writerID())
        let statement = DiskStatement(
            member: "", writer: try writerID(), floor: try time(),
            isWhole: try boolean("whether the disk is whole"))
        return DiskMemory(
            member: member, writer: writer, answering: statement,
            predecessor: takeNil() ? nil : try writerID(),
            sequence: try unsigned("a sequence"), closed: try time(), stable: try time(),
            hasServed: try boolean("whether the member has served"),
            isWhole: try boolean("whether the disk is whole"))
    }
}

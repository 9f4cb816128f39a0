import DataTree
import Store
package import SyncProtocol

/// The last rules that have arrived at this node, those that counted and those that did not: what a roll-back needs.
///
/// Each node keeps its own, beside its log: it begins when the node joins, and has no record that the node got only as part of a
/// later checkpoint.
struct RulesHistory: Sendable {
    struct Entry: Equatable, Sendable {
        let record: RulesRecord
        /// The node that accepted it, or its writer if that was not known here.
        let node: String
    }

    private static let countLimit = 50
    /// The limit for all documents together; the last document is kept whatever its size.
    private static let byteLimit = 4 << 20

    /// Ascending by stamp, so that the last one counts.
    private(set) var entries: [Entry] = []
    /// Whether the disk has others.
    private var isUnstored = false

    /// Adds a record, unless it is there; the oldest make room.
    mutating func insert(_ record: RulesRecord, of node: String) {
        if entries.contains(where: { $0.record.stamp == record.stamp }) { return }
        let place = entries.firstIndex { record.stamp < $0.record.stamp } ?? entries.count
        entries.insert(Entry(record: record, node: node), at: place)
        var bytes = entries.reduce(0) { $0 + $1.record.source.utf8.count }
        while entries.count > RulesHistory.countLimit
            || bytes > RulesHistory.byteLimit && entries.count > 1
        {
            bytes -= entries.removeFirst().record.source.utf8.count
        }
        isUnstored = true
    }

    /// Returns the property to store; nil if the disk has it.
    mutating func takeToStore() -> Property? {
        guard isUnstored else { return nil }
        isUnstored = false
        return Property(.rulesHistory, bytes: bytes)
    }
}

// MARK: - Bytes

extension RulesHistory {
    /// A MessagePack array: record, node, record, node, …
    private var bytes: [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(2 * entries.count)
        for entry in entries {
            writer.append(entry.record)
            writer.append(entry.node)
        }
        return writer.bytes
    }

    /// Reads what is stored.
    init(from reader: inout MessagePackReader) throws(FrameError) {
        for _ in 0..<(try reader.arrayHead("records of rules (an array)") / 2) {
            let record = try reader.rulesRecord()
            entries.append(Entry(record: record, node: try reader.string("a node")))
        }
    }
}

extension Replica {
    /// The answer to `rulesHistory`.
    package var rulesHistoryReport: RulesHistoryReport {
        var report = RulesHistoryReport()
        report.node = configuration.member
        for entry in replication.rulesHistory.entries.reversed() {
            var told = RulesHistoryReport.Record()
            told.digest = entry.record.digest
            told.previous = entry.record.previous
            told.acceptedMilliseconds = Int(clamping: entry.record.stamp.time.milliseconds)
            told.node = entry.node
            told.isCurrent = entry.record.stamp == replication.rules?.stamp
            told.source = entry.record.source
            report.records.append(told)
        }
        return report
    }
}

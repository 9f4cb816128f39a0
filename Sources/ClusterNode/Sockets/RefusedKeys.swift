internal import SyncProtocol
internal import ZeroMQ

/// The processes that the ports for peers have refused, because no node of the configuration has their key: the latest ones.
///
/// A process shows its name only to a node that admits its key, so the key identifies it.
struct RefusedKeys {
    /// A process can make any number of keys.
    private static let limits = (records: 8, lines: 100)

    private struct Record {
        let key: String
        var address = ""
        var count = 0
        var nanoseconds: UInt64 = 0
    }

    /// In the order of their last refusals.
    private var records: [Record] = []
    private var lineCount = 0

    /// Records a refusal.
    ///
    /// - Returns: A line for the log about a process that has not been refused before.
    mutating func record(_ refusal: ZAPHandler.Refusal, at nanoseconds: UInt64) -> String? {
        let key = refusal.key.description
        let index = records.firstIndex { $0.key == key }
        var record = index.map { records.remove(at: $0) } ?? Record(key: key)
        record.address = Self.shown(refusal.address)
        record.count += 1
        record.nanoseconds = nanoseconds
        records.append(record)
        if records.count > Self.limits.records { records.removeFirst() }
        guard index == nil, lineCount < Self.limits.lines else { return nil }
        lineCount += 1
        return
            "refuses a process at \(record.address), as no node in the configuration has its key \(key); if it is a new node, "
            + "list it with this \"publicKey\" in the configuration of all nodes, and start them again"
    }

    /// The records for the status, the latest first.
    func reports(at nanoseconds: UInt64) -> [NodeStatus.RefusedKey] {
        records.reversed().map { record in
            var report = NodeStatus.RefusedKey()
            report.key = record.key
            report.address = record.address
            report.count = record.count
            report.agoMilliseconds = Int((nanoseconds - record.nanoseconds) / 1_000_000)
            return report
        }
    }

    /// An address, without the prefix that IPv4 has at a port for both.
    private static func shown(_ address: String) -> String {
        let prefix = "::ffff:"
        return address.hasPrefix(prefix) ? String(address.dropFirst(prefix.count)) : address
    }
}

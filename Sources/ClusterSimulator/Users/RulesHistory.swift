import RulesOracle
import Store
import SyncProtocol

/// The rules that were ever accepted in a run, by the operations that set them.
struct RulesHistory {
    private struct Record {
        let origin: WriterID
        let sequence: UInt64
        let stamp: Stamp
        let digest: String
        let rules: NaiveRules?
    }

    private var records: [Record] = []
    private var documents: [RulesDocument]

    init(_ documents: [RulesDocument]) { self.documents = documents }

    /// How many rules were accepted, other than those at the start.
    var changes: Int { max(0, records.count - 1) }

    /// Adds rules that may be set from now on.
    mutating func add(_ document: RulesDocument) { documents.append(document) }

    /// Adds the rules that a batch sets.
    mutating func add(_ entry: LogEntry) {
        guard let batch = try? BatchCoding.decode(entry.bytes) else { return }
        for (index, operation) in batch.operations.enumerated() {
            let sequence = batch.first + UInt64(index)
            guard let record = RulesRecord(operation),
                !records.contains(where: { $0.origin == batch.origin && $0.sequence == sequence })
            else { continue }
            records.append(
                Record(
                    origin: batch.origin, sequence: sequence, stamp: record.stamp,
                    digest: record.digest,
                    rules: documents.first { $0.source == record.source }?.rules))
        }
    }

    /// The rules of the last writer among what a vector stands for.
    func rules(in vector: VersionVector) -> NaiveRules? {
        last(in: vector)?.rules
    }

    /// The digest of those; empty without.
    func digest(in vector: VersionVector) -> String { last(in: vector)?.digest ?? "" }

    /// The error in a node's report of its last rules: rules that no client set, another order, or
    /// other rules in force.
    func problem(of report: RulesHistoryReport, in vector: VersionVector) -> String? {
        guard (try? RulesHistoryReport(report.value)) == report else {
            return "something else once it is read back"
        }
        let times = report.records.map(\.acceptedMilliseconds)
        if times != times.sorted(by: >) {
            return "rules that were accepted at \(times), in this order"
        }
        let current = last(in: vector)
        for told in report.records {
            let known = records.filter {
                $0.digest == told.digest
                    && $0.stamp.time.milliseconds == UInt64(clamping: told.acceptedMilliseconds)
            }
            if known.isEmpty { return "that \(told.digest) was set, and nobody did" }
            // The same rules may have been set twice in a millisecond.
            if !known.contains(where: { ($0.stamp == current?.stamp) == told.isCurrent }) {
                return "that \(told.digest) \(told.isCurrent ? "counts" : "does not count")"
            }
        }
        return nil
    }

    private func last(in vector: VersionVector) -> Record? {
        records.filter { vector[$0.origin] >= $0.sequence }.max { $0.stamp < $1.stamp }
    }
}

import ReplicaCore
import Store
import SyncProtocol

/// All batches that were ever stored in a run: logs are truncated, and checks need the operations that a
/// vector stands for.
struct BatchArchive {
    /// By origin, each ascending.
    private var logs: [WriterID: [LogEntry]] = [:]

    /// Adds a batch; it replaces what a bug may have stored under its sequences before.
    mutating func note(_ entry: LogEntry) {
        var log = logs.removeValue(forKey: entry.origin) ?? []
        defer { logs[entry.origin] = log }
        let index = log.lastIndex { $0.first <= entry.first }
        if let index, log[index] == entry { return }
        let end = log.firstIndex { $0.first > entry.last } ?? log.count
        let start = index.map { log[$0].last < entry.first ? $0 + 1 : $0 } ?? 0
        log.replaceSubrange(start..<max(start, end), with: [entry])
    }

    /// The batches that a vector stands for, origin by origin.
    func batches(in vector: VersionVector) -> [LogEntry] {
        vector.entries.flatMap { origin, sequence in
            (logs[origin] ?? []).prefix { $0.last <= sequence }
        }
    }
}

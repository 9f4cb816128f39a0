import ReplicaCore
import Store
import SyncProtocol

/// All batches that were ever stored in a run: logs are truncated, and checks need the operations that a
/// vector stands for.
struct BatchArchive {
    /// By origin, each ascending.
    private var logs: [WriterID: [LogEntry]] = [:]

    /// Adds a batch; it replaces what a bug may have stored under its sequences before.
    ///
    /// - Complexity: O(log n) for a batch that is known or the newest.
    mutating func record(_ entry: LogEntry) {
        logs[entry.origin, default: []].keep(entry)
    }

    /// All operations in the order of their stamps.
    var operations: [(dot: Dot, operation: Operation)] {
        var operations: [(dot: Dot, operation: Operation)] = []
        for entry in logs.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for (index, operation) in batch.operations.enumerated() {
                let dot = Dot(origin: entry.origin, sequence: entry.first + UInt64(index))
                operations.append((dot, operation))
            }
        }
        return operations.sorted { $0.operation.stamp < $1.operation.stamp }
    }

    /// The batches that a vector stands for, origin by origin.
    func batches(in vector: VersionVector) -> [LogEntry] {
        vector.entries.flatMap { origin, sequence in
            (logs[origin] ?? []).prefix { $0.last <= sequence }
        }
    }

    /// The batches that one vector stands for and an earlier one does not.
    func batches(in vector: VersionVector, after held: VersionVector) -> [LogEntry] {
        vector.advanced(beyond: held).entries.flatMap { origin, sequence in
            let log = logs[origin] ?? []
            return log[...].split { $0.last > held[origin] }.after.prefix { $0.last <= sequence }
        }
    }
}

extension [LogEntry] {
    fileprivate mutating func keep(_ entry: LogEntry) {
        let after = self[...].split { $0.first > entry.first }.after.startIndex
        if after > 0, self[after - 1] == entry { return }
        let start = after > 0 && self[after - 1].last >= entry.first ? after - 1 : after
        let end = self[...].split { $0.first > entry.last }.after.startIndex
        replaceSubrange(start..<Swift.max(start, end), with: [entry])
    }
}

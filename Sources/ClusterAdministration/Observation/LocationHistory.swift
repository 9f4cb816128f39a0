package import DataTree
package import SyncProtocol

/// The operations at a location in the order of their stamps: each either shows there, or has lost to a later one.
package struct LocationHistory {
    /// An operation, and the later one that left nothing of it at the location.
    package struct Entry {
        package let operation: LocatedOperation
        package let winner: LocatedOperation?
    }

    /// The operations that are kept while a log is read: the ones with the latest stamps.
    private static let limit = 1_000

    private let path: Path
    private var operations: [LocatedOperation] = []
    /// The number of operations that were found and are not kept.
    package private(set) var droppedCount = 0

    /// No operation at a location yet.
    package init(at path: Path) { self.path = path }

    /// Adds the operations of a part of a log.
    package mutating func append(_ added: [LocatedOperation]) {
        operations += added
        if operations.count > 2 * LocationHistory.limit { trim() }
    }

    private mutating func trim() {
        operations.sort { $0.stamp < $1.stamp }
        let excess = max(0, operations.count - LocationHistory.limit)
        droppedCount += excess
        operations.removeFirst(excess)
    }

    /// The operations, the earliest first. Two nodes may have accepted one write of a client; it is listed once.
    package var entries: [Entry] {
        var sorted: [LocatedOperation] = []
        for operation in operations.sorted(by: { $0.stamp < $1.stamp })
        where sorted.last?.stamp != operation.stamp {
            sorted.append(operation)
        }
        return sorted.enumerated().map { index, operation in
            Entry(
                operation: operation,
                winner: sorted[(index + 1)...].first { $0.covers(operation, at: path) })
        }
    }
}

extension LocatedOperation {
    /// Whether this later operation leaves nothing of an earlier one at or below a location.
    fileprivate func covers(_ earlier: LocatedOperation, at location: Path) -> Bool {
        earlier.writes.allSatisfy { write in
            writes.contains { $0.covers(write, at: location) }
        }
    }
}

extension LocatedOperation.LocatedWrite {
    fileprivate func covers(
        _ earlier: LocatedOperation.LocatedWrite, at location: Path
    ) -> Bool {
        guard let own = try? Path(path), let its = try? Path(earlier.path) else { return false }
        let end = its.count > location.count ? its : location
        if own.contains(end) { return kind != "increment" }
        // A child ends a primitive above it.
        return end.contains(own) && own.last != .priority && kind != "nothing"
            && (earlier.kind == "value" || earlier.kind == "increment")
    }
}

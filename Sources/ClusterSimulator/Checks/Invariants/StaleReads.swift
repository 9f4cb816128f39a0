import DataTree
import Store
import SyncProtocol

/// The reads before the write that ended an invariant, if these missed operations of other clients. Two clients have then changed
/// the same places without a transaction.
struct StaleReads {
    private struct Read {
        let operation: ClientOperation
        let missed: [InvariantOperations.Found]
    }

    /// The most reads before the write, and the most operations that a line names.
    private static let limit = 4

    private let write: InvariantOperations.Found
    private let reads: [Read]
    /// The request of the write.
    let subject: ClientOperation.Name

    /// Nil if no such read missed an operation.
    ///
    /// - Parameter found: The operations at the places of the invariant, in the order of their stamps.
    init?(_ found: [InvariantOperations.Found], _ history: History) {
        guard let write = found.last(where: { $0.isNew && $0.request != nil }),
            let request = write.request
        else { return nil }
        (self.write, subject) = (write, request.operationName)
        let earlier = history.operations.filter {
            $0.client == request.client && $0.invoked < request.invoked
        }
        // An earlier write rests on the reads before it.
        let first = earlier.lastIndex { !$0.isRead }.map { $0 + 1 } ?? 0
        reads = earlier[first...].suffix(StaleReads.limit).compactMap { operation in
            guard case .get(let path) = operation.kind,
                let shown = operation.acknowledged?.vector
            else { return nil }
            let missed = found.filter {
                $0.dot != write.dot && $0.operation.stamp < write.operation.stamp
                    && $0.operation.touches(path) && !shown.covers($0.dot)
            }
            return missed.isEmpty ? nil : Read(operation: operation, missed: missed)
        }
        if reads.isEmpty { return nil }
    }

    /// The reads, and the request of the first operation that each of them missed.
    var compared: [ClientOperation.Name] {
        reads.map(\.operation.operationName)
            + reads.compactMap { $0.missed.first?.request?.operationName }
    }

    /// A line for each read.
    var lines: [String] {
        reads.map { read in
            let operation = read.operation
            let names = read.missed.prefix(StaleReads.limit).map(\.dot.description)
            let more = read.missed.count - names.count
            let missed = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            let time = operation.completed.map { " at \($0.description)" } ?? ""
            return
                "\(write.dot) rests on “\(operation.request)” of \(operation.client.clientName), "
                + "which read \((operation.answer ?? .null).summary)\(time) and missed \(missed)"
        }
    }
}

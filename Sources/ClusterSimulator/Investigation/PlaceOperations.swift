import Convergence
import DataTree
import Store
import SyncProtocol

/// The operations that concern one place, in the order of their stamps: each either shows there in the end, or lost to a
/// later one.
struct PlaceOperations {
    /// How many are shown, the last ones.
    private static let limit = 20

    private struct Entry {
        var dot: Dot
        var operation: Operation
        /// The value of the location after it.
        var value: Value
        /// The operation that covers all that this one did there.
        var winner: Dot?
    }

    private let path: Path
    private var entries: [Entry] = []

    /// The operations at a place that these batches have.
    init(at path: Path, _ batches: [LogEntry]) {
        self.path = path
        var operations: [(dot: Dot, operation: Operation)] = []
        for entry in batches {
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for (index, operation) in batch.operations.enumerated()
            where operation.touches(path) {
                operations.append(
                    (Dot(origin: entry.origin, sequence: entry.first + UInt64(index)), operation))
            }
        }
        operations.sort { $0.operation.stamp < $1.operation.stamp }
        var execution = SequentialExecution()
        for (index, (dot, operation)) in operations.enumerated() {
            // Two nodes may have made operations of one write.
            let isRepeated = index > 0 && operations[index - 1].operation.stamp == operation.stamp
            if !isRepeated { execution.execute(operation) }
            entries.append(Entry(dot: dot, operation: operation, value: execution.value[path]))
        }
        for index in entries.indices { entries[index].winner = winner(over: index) }
    }

    /// The first later operation that covers all that one did at the place.
    private func winner(over index: Int) -> Dot? {
        let writes = entries[index].operation.writes.filter {
            $0.path.contains(path) || path.contains($0.path)
        }
        return entries[(index + 1)...].first { later in
            entries[index].operation.stamp < later.operation.stamp
                && writes.allSatisfy { write in
                    later.operation.writes.contains { $0.covers(write, at: path) }
                }
        }?.dot
    }

    /// The stamp of the last operation that shows.
    var deciding: Stamp? { entries.last { $0.winner == nil }?.operation.stamp }

    /// A line for each of the last operations.
    func lines(_ arrivals: Arrivals, at node: Int) -> [String] {
        if entries.isEmpty { return ["no operation ever wrote there"] }
        let left = entries.count - min(entries.count, PlaceOperations.limit)
        let older = left == 0 ? [] : ["\(left) older operations are left out"]
        return older
            + entries.suffix(PlaceOperations.limit).map { entry in
                let arrival = arrivals[entry.dot, node]
                let writes = entry.operation.writes.filter {
                    $0.path.contains(path) || path.contains($0.path)
                }
                var line = "\(entry.winner == nil ? "won " : "lost")  \(entry.operation.stamp)  "
                line += "\(entry.dot)  \(writes.summary)  makes \(entry.value.summary)"
                if let arrival { line += ", here since \(arrival.description)" }
                if let winner = entry.winner {
                    line += ", lost to \(winner)"
                    let won = arrivals[winner, node]
                    if let arrival, let won, arrival > won { line += ", which came before it" }
                }
                return line
            }
    }
}

extension Write {
    /// Whether this later write leaves nothing of an earlier one at or below a place.
    fileprivate func covers(_ earlier: Write, at place: Path) -> Bool {
        let end = earlier.path.count > place.count ? earlier.path : place
        if path.contains(end) {
            let rest = Path(Array(end.keys.dropFirst(path.count)))
            if case .deferred = value[rest].content { return false }
            return true
        }
        // A child ends a primitive above it.
        let below = Path(Array(end.keys.dropFirst(earlier.path.count)))
        return end.contains(path) && !value.isNull && earlier.value[below].isPrimitive
    }
}

extension RegisterPath {
    /// A line for each location with registers, and which of them decides.
    var lines: [String] {
        if entries.isEmpty {
            return ["no register is left on the way there: all that ever wrote there is stable"]
        }
        return entries.map { entry in
            let line = "register at \(entry.location): \(entry.name) \(entry.stamp)"
            return entry == deciding ? line + ", which decides" : line
        }
    }
}

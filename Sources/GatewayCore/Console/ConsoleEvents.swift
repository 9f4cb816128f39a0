internal import DataTree
internal import JSONText
internal import SyncProtocol

/// The operations at or below a location that a page follows as they arrive in the log of its node.
///
/// Each read asks for the operations beyond those of the read before. A page that opens sees later operations only.
struct ConsoleEvents {
    /// How often the log is read.
    static let intervalMilliseconds: UInt64 = 500
    /// The most operations of one message, the last ones: 50 a second.
    static let operationLimit = 25
    /// The most parts of the log that one read takes. A page that is further behind goes on with the newest operations.
    private static let partLimit = 4

    let id: Int
    private let path: Path
    /// The operations that the page need not be sent; nil before the node has said what it holds.
    private var held: VersionVector?
    private var operations: [LocatedOperation] = []
    private var count = 0
    private var parts = 0
    private var hasSkipped = false
    /// The request that waits for its answer.
    var request: UInt64?
    var dueMilliseconds: UInt64

    init(id: Int, path: Path, at milliseconds: UInt64) {
        (self.id, self.path, dueMilliseconds) = (id, path, milliseconds)
    }

    /// Whether the next request is due.
    func isDue(at milliseconds: UInt64) -> Bool {
        request == nil && milliseconds >= dueMilliseconds
    }

    /// The next request.
    mutating func next(_ number: UInt64) -> ClientMessage {
        request = number
        guard let held else { return .hello(id: number, seen: VersionVector()) }
        return .why(id: number, path: .root, beyond: held)
    }

    /// Sets the operations that the page need not be sent.
    mutating func begin(after vector: VersionVector, at milliseconds: UInt64) {
        (held, request) = (vector, nil)
        dueMilliseconds = milliseconds + ConsoleEvents.intervalMilliseconds
    }

    /// Adds a part of the log; returns the message to the page if there is something to send.
    mutating func append(_ value: Value, at milliseconds: UInt64) -> [UInt8]? {
        guard let part = try? LocationReport(value), var reached = held else {
            preconditionFailure("a replica's own report cannot be read")
        }
        request = nil
        parts += 1
        for operation in part.operations {
            let origin = WriterID(bits: UInt64(operation.origin, radix: 32) ?? 0)
            reached[origin] = max(reached[origin], UInt64(clamping: operation.sequence))
        }
        let matching = part.operations.filter(touches)
        count += matching.count
        operations = Array((operations + matching).suffix(ConsoleEvents.operationLimit))
        held = part.next ?? reached
        if part.next != nil, parts < ConsoleEvents.partLimit { return nil }
        if part.next != nil { (held, hasSkipped) = (nil, true) }
        dueMilliseconds = milliseconds + ConsoleEvents.intervalMilliseconds
        return message()
    }

    private func touches(_ operation: LocatedOperation) -> Bool {
        path.isRoot
            || operation.writes.contains { write in
                guard let other = try? Path(write.path) else { return false }
                return path.contains(other) || other.contains(path)
            }
    }

    private mutating func message() -> [UInt8]? {
        defer { (operations, count, parts, hasSkipped) = ([], 0, 0, false) }
        if count == 0, !hasSkipped { return nil }
        var report = LocationReport()
        report.operations = operations.sorted { $0.stamp < $1.stamp }
        return ConsoleText.events(
            id, report.value, left: count - operations.count, hasSkipped: hasSkipped)
    }
}

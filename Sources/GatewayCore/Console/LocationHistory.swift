internal import DataTree
internal import SyncProtocol

/// A question of the console why a location shows its value: the answer arrives in parts of the node's log.
struct LocationHistory {
    /// The most parts of the log that are read, and the most operations that the page gets: the newest ones.
    private static let partLimit = 40
    private static let operationLimit = 100

    let id: Int
    let path: Path
    private var report: LocationReport?
    private var parts = 0

    init(id: Int, path: Path) { (self.id, self.path) = (id, path) }

    /// Adds a part; returns the operations that the next request leaves out, or nil if this was the last part.
    mutating func append(_ value: Value) -> VersionVector? {
        guard let part = try? LocationReport(value) else {
            preconditionFailure("a replica's own report cannot be read")
        }
        parts += 1
        let earlier = report?.operations ?? []
        report = part
        report!.operations = Array(
            (earlier + part.operations).sorted { $0.stamp < $1.stamp }
                .suffix(LocationHistory.operationLimit))
        return parts < LocationHistory.partLimit ? part.next : nil
    }

    /// The message to the page.
    var answer: [UInt8] { ConsoleText.why(id, report?.value ?? .null) }
}

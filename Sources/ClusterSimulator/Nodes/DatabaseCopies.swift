import ReplicaCore
import SyncProtocol

/// The copies of a node's database, as clients have it write them: each under a name of its own, while there is room.
struct DatabaseCopies {
    /// A client's request for a copy.
    struct Request {
        var name: String
        var id: UInt64
        var session: SessionID
    }

    private var names: Set<String> = []
    /// The last result, which the node has not been given yet.
    private var result: Input?

    /// Writes a copy, or fails.
    mutating func write(_ request: Request, hasRoom: Bool) {
        let failure: BackupFailure? =
            if names.contains(request.name) {
                BackupFailure(problem: "\(request.name) exists already", fix: "choose another name")
            } else if !hasRoom {
                BackupFailure(problem: "the disk is full", fix: "free some space")
            } else {
                nil
            }
        if failure == nil { names.insert(request.name) }
        result = .backedUp(
            failure.map { .failure($0) } ?? .success(request.name), id: request.id,
            for: request.session)
    }

    /// Removes and returns the result for the node.
    mutating func takeResult() -> Input? {
        defer { result = nil }
        return result
    }
}

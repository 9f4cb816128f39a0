public import SyncProtocol

/// Verifies the checkpoint rows that peers are given, as they come from the disk: whether each is what was
/// written, and whether none is missing. A node detects damage when it starts; while it runs, nothing else
/// would stop it from giving away damaged rows.
public struct OutgoingCheckpointAudit: Sendable {
    private struct Progress {
        var checkpoint: UInt64
        /// The last row that was given.
        var row: UInt64 = 0
        var count = 0
        var fingerprint: UInt64 = 0
    }

    /// By peer; no order of these reaches an output.
    private var progress: [String: Progress] = [:]

    /// An audit of which no peer has been given rows.
    public init() {}

    /// Checks the chunk that a peer is given next; returns false if the checkpoint is damaged.
    public mutating func check(_ part: CheckpointChunk, for member: String) -> Bool {
        if part.head.isEmpty { return true }
        guard let head = try? CheckpointHead(part.head), part.rows.allSatisfy(\.isIntact) else {
            return false
        }
        let last = progress.removeValue(forKey: member)
        let before = part.after == 0 ? Progress(checkpoint: head.lastRow) : last
        // A transfer may have begun before this process knew of it; a peer that finds damage starts over.
        guard var given = before, given.checkpoint == head.lastRow, given.row == part.after
        else { return true }
        for row in part.rows {
            given.row = row.id
            given.count += 1
            given.fingerprint &+= UInt64(row.bytes.withUnsafeBytes { Checksum.stored(in: $0) })
        }
        guard part.isLast else {
            progress[member] = given
            return true
        }
        return given.count == head.rowCount && given.fingerprint == head.fingerprint
    }
}

extension CheckpointRow {
    /// Whether the bytes are what was written under this ID.
    fileprivate var isIntact: Bool {
        bytes.withUnsafeBytes { bytes in
            guard let content = try? Checksum.content(of: bytes, named: "a row") else {
                return false
            }
            var reader = MessagePackReader(content)
            guard (try? reader.arrayHead("a row")) != nil else { return false }
            return (try? reader.unsigned("the ID of a row")) == id
        }
    }
}

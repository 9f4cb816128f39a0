import DataTree
import SyncProtocol

/// The on-disconnect writes that a connection's node has accepted, as Firebase defines them. A
/// later put replaces the writes that it covers. A cancel below a put leaves the rest of the put.
///
/// Source: `firebase-semantics.md`, rule D2.
struct DisconnectModel {
    /// None at or below another.
    private(set) var writes: [Write] = []
    /// Whether a node may have refused some of the requests.
    var isVague = false

    mutating func record(_ message: ClientMessage) {
        switch message.request {
        case .onDisconnect(let put): self.put(Write(path: put.path, value: put.value))
        case .onDisconnectMerge(let merge):
            for write in merge.writes {
                put(Write(path: merge.path.appending(write.path), value: write.value))
            }
        case .onDisconnectCancel(let cancel): self.cancel(at: cancel.path)
        default: break
        }
    }

    private func indexAbove(_ path: Path) -> Int? {
        writes.firstIndex { $0.path != path && $0.path.contains(path) }
    }

    private mutating func put(_ write: Write) {
        if let above = indexAbove(write.path) {
            writes[above].value.set(write.value, at: write.path.relative(to: writes[above].path))
        } else {
            writes.removeAll { write.path.contains($0.path) }
            writes.append(write)
        }
    }

    private mutating func cancel(at path: Path) {
        if let above = indexAbove(path) {
            // A primitive has nothing below that could be taken back.
            if writes[above].value.isPrimitive { return }
            split(writes.remove(at: above), downTo: path)
        }
        writes.removeAll { path.contains($0.path) }
    }

    /// Keeps a put as puts of its parts, one of which is at the path.
    private mutating func split(_ write: Write, downTo path: Path) {
        if write.path == path { return writes.append(write) }
        var parts = write.value.children.map {
            Write(path: write.path.appending($0.key), value: $0.value)
        }
        if !write.value.priority.isNull {
            let place = write.path.appending(.priority)
            parts.append(Write(path: place, value: write.value.priority))
        }
        for part in parts {
            if part.path.contains(path), !part.value.isPrimitive {
                split(part, downTo: path)
            } else {
                writes.append(part)
            }
        }
    }
}

/// The end of a session at its node, and the on-disconnect writes that were due then.
struct SessionEnd {
    let session: SessionID
    let client: Int
    let node: Int
    let time: Microseconds
    let due: [Write]
    /// The operations that the node made of it.
    var made: [Dot] = []
    /// Whether the node has done the writes later, as one operation among others: it was evicted then, or a transaction of the
    /// session was undecided.
    var wasPostponed = false
}

/// The end of a session at which its node did nothing: its on-disconnect writes wait for a transaction.
struct LeavingEnd {
    let session: SessionID
    let end: SessionEnd
    let writer: WriterID
    /// How many operations its node had made before.
    let before: UInt64
}
